/* SPDX-License-Identifier: ISC */
/*
 * The map and what goes with it, as Chromium shows them: of this machine, and of
 * routers that are not at hand (maps.mjs).
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as maps from './maps.mjs';
import { api, close as closeAll, open, openMap, openPage, until } from './support.mjs';

const READING = '#map-reading';

before(open);
after(closeAll);

const plain = (text) => text.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();
const box = (page, key) => page.locator(`#map [data-key="${key}"]`);
const textOf = async (page, selector) => plain(await page.locator(selector).first().innerText());

/* Keys of the links that are lit. */
function litLinks(page) {
  return page.locator('#map .map-lit path').evaluateAll((paths) =>
    paths.map((path) => path.dataset.key).sort());
}

/* A canned machine, drawn and live. */
async function openDrawn(map, options) {
  const opened = await openMap(map, options);
  await until('the machine drawn', async () =>
    await opened.page.textContent('#sentence') === maps.tickOf(map).summary.verdict
    && opened.page.locator('#map .map-plane button, #map .map-core-head').first().isVisible());
  await opened.say('tick', maps.tickOf(map));
  return opened;
}

describe('map', () => {
  test('all lines on one core: that core and all that feeds it stand out', async () => {
    const { page, complaints, close } = await openDrawn(maps.piled());
    await until('the hot core', async () => await page.locator('#map [data-hot]').count() === 1);
    assert.match(await textOf(page, '#map [data-hot]'), /^core 3 97 % hottest/);
    const lit = await litLinks(page);
    for (const irq of [40, 41, 42, 43, 45, 46, 47, 48])
      assert.ok(lit.includes(`wire i ${irq} > c 3`), `line ${irq}`);
    assert.equal(lit.filter((key) => key.endsWith('> c 3')).length, 8);
    assert.ok(!lit.some((key) => key.includes('eth2')), 'what is idle does not');
    assert.match(await textOf(page, '#map-summary'),
      /^Core 3, the hottest at 97 %, is fed by eth0 rx 0 to 3/);
    const { color, heat } = await page.evaluate(async () => {
      const { heatLevel, palette } = await import(new URL('palette.js', document.baseURI));
      return { color: getComputedStyle(document.querySelector('.map-lit path')).stroke,
        heat: palette().heat[heatLevel(0.97)].replaceAll(' ', ', ') };
    });
    assert.equal(color, heat, 'lines have the colour of the core they end in');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a box under the pointer is read, with its ways and its steering', async () => {
    const { page, complaints, close } = await openDrawn(maps.piled());
    await box(page, 'q 1 eth0').hover();
    const read = await until('the reading', async () =>
      (await textOf(page, READING)).startsWith('eth0 queue 1') && textOf(page, READING));
    assert.match(read, /receive 11\.4 kpps.*interrupt 41 on core 3.*RPS cores none.*XPS cores 1/);
    assert.deepEqual(await litLinks(page), ['wire d eth0 > q 1 eth0', 'wire i 41 > c 3',
      'wire q 1 eth0 > i 41', 'xps q 1 eth0 > c 1']);
    await page.mouse.move(5, 5);
    await until('the hot core again', async () => (await litLinks(page)).length > 8);
    assert.match(await textOf(page, READING), /^Point at a box/);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('it can be walked with the keyboard', async () => {
    const { page, close } = await openDrawn(maps.piled());
    const stops = await page.locator('#map .map-plane button[tabindex="0"]').count();
    assert.equal(stops, 1, 'the tab key stops at the map once');
    await page.locator('#map .map-plane button[tabindex="0"]').focus();
    await page.keyboard.press('ArrowLeft');
    await until('an interrupt', async () => (await textOf(page, READING)).startsWith('Interrupt'));
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    const device = await until('an interface', async () => {
      const text = await textOf(page, READING);
      return /^eth[01] igb/.test(text) && text;
    });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await until('a queue', async () => new RegExp(`^${device.slice(0, 4)} queue`).test(
      await textOf(page, READING)));
    await page.keyboard.press('Escape');
    await until('the hint', async () => (await textOf(page, READING)).startsWith('Point at'));
    await close();
  });

  test('a tick changes what is there and makes nothing anew', async () => {
    const map = maps.piled();
    const { page, say, close } = await openDrawn(map);
    const path = page.locator('[data-key="wire q 0 eth0 > i 40"]');
    const width = async () => Number(await path.getAttribute('stroke-width'));
    await until('a line', async () => await width() > 2);
    await page.evaluate(() => {
      for (const node of document.querySelectorAll('#map .map-plane *'))
        node.isOld = true;
    });
    const was = await width();
    await say('tick', maps.tickOf(map, Date.now() + 1000, (pps) => pps / 2));
    await until('less', async () => /in 5\.51 kpps/.test(
      await textOf(page, '[data-key="q 0 eth0"] .map-rx')));
    const is = await width();
    assert.ok(Math.abs(is / was - Math.SQRT1_2) < 0.06, `${was} became ${is}`);
    assert.equal(await page.evaluate(() => [...document.querySelectorAll('#map .map-plane *')]
      .filter((node) => !node.isOld).length), 0);
    await close();
  });

  test('it is fetched anew when a setting changes, and shows what moved', async () => {
    const map = maps.piled();
    const { page, say, asked, machine, complaints, close } = await openDrawn(map, {
      changes: maps.changes() });
    const list = page.locator('#changes .change');
    await until('the changes', async () => await list.count() === 6);
    assert.equal(plain(await list.nth(1).innerText()).replace(/^\S+ /, ''),
      'eth0 rx 0 to 3: packets handed to cores (RPS) none → became 0-3');
    const moved = structuredClone(map);
    Object.assign(moved.interrupts[0], { per_core_ps: { 1: 1800 }, affinity: '1',
      effective_affinity: '1' });
    for (const q of moved.devices[0].queues.filter((one) => one.irq === '40'))
      q.cores = { 1: 1800 };
    machine.map = moved;
    const before = asked.filter((name) => name === 'map').length;
    await until('half a second', () => page.evaluate(() => performance.now() > 2000));
    await say('change', { id: 31, at_ms: Date.now(), kind: 'irq_affinity',
      subject: { kind: 'irq', irq: '40' }, old: '3', new: '1' });
    await until('the change', async () => /interrupt 40: cores it may fire on 3 → became 1/.test(
      plain(await list.first().innerText())));
    await until('the map', () => asked.filter((name) => name === 'map').length > before);
    await say('tick', maps.tickOf(moved));
    await until('the line moved', async () => !(await litLinks(page)).includes('wire i 40 > c 3'));
    assert.equal(await box(page, 'wire i 40 > c 1').getAttribute('data-state'), 'flow');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('changes that cannot be had are said to be so', async () => {
    const { page, close } = await openDrawn(maps.piled(), { changes: null });
    await until('the words', async () => /^Not available: nothing is here/.test(
      plain(await page.locator('#changes p.muted').innerText())));
    await close();
  });

  test('64 cores and 128 queues are looked over at once, and opened on request', async () => {
    const map = maps.big();
    const { page, complaints, close } = await openDrawn(map);
    await until('the hot core', async () => await page.locator('#map [data-hot]').count() === 1);
    assert.match(await textOf(page, '#map [data-hot]'), /^core 17/);
    for (const lane of ['Interfaces', 'Queues', 'Interrupts', 'Cores']) {
      const n = await page.locator(`#map [aria-label="${lane}"] > *`).count();
      assert.ok(n > 0 && n <= 40, `${lane}: ${n}`);
    }
    const folds = await page.locator('#map .map-fold').allInnerTexts();
    assert.deepEqual(folds.map(plain),
      ['30 others', '+56 idle', '+56 idle', '+56 lines', '+56 lines', '+59 idle']);
    await page.locator('#map .map-fold', { hasText: '+59 idle' }).click();
    await until('all cores', async () => await page.locator('#map .map-core').count() === 64);
    await page.locator('#map > .map > .fold').click();
    await until('it closed', async () => await page.locator('#map .map-core').count() === 5);
    await page.locator('#map > .map > .fold').click();
    await until('all queues', async () => await page.locator('#map .map-row').count() >= 128);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('nothing is cut off or on top of something else', async () => {
    for (const [name, width] of [['piled', 1280], ['mixed', 1280], ['piled', 1920], ['big', 1280],
      ['mixed', 700]]) {
      const { page, close } = await openDrawn(maps[name](), { viewport: { width, height: 900 } });
      await until('boxes', async () => await page.locator('#map .map-row').count() > 3);
      const wrong = await page.evaluate(() => {
        const found = [];
        const figures = '.map-row .map-figure, .map-row .map-no, .map-irq > span, '
          + '.map-core .map-name, .map-core .map-load, .map-fold .map-name';
        for (const node of document.querySelectorAll(figures)) {
          const [own, parent] = [node, node.parentNode].map((n) => n.getBoundingClientRect());
          if (own.right > parent.right || own.left < parent.left || own.bottom > parent.bottom + 1)
            found.push(node.parentNode.innerText + ' is cut');
        }
        const boxes = [...document.querySelectorAll('#map .map-box:not(.map-note)')];
        const rects = boxes.map((node) => node.getBoundingClientRect());
        for (const [i, a] of rects.entries()) {
          for (const [k, b] of rects.slice(i + 1).entries()) {
            if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
              found.push(boxes[i].innerText + ' covers ' + boxes[i + 1 + k].innerText);
          }
        }
        if (document.documentElement.scrollWidth > innerWidth)
          found.push('the page is wider than the window');
        return found;
      });
      assert.deepEqual(wrong, [], `${name} at ${width}`);
      await close();
    }
  });

  test('on a phone it is a list of cores, the hottest first', async () => {
    for (const colorScheme of ['light', 'dark']) {
      const { page, complaints, close } = await openDrawn(maps.piled(),
        { viewport: { width: 360, height: 740 }, colorScheme, hasTouch: true });
      await until('cores', async () => await page.locator('#map .map-core-item').count() > 0);
      assert.equal(await page.locator('#map .map-plane').isVisible(), false);
      const first = plain(await page.locator('#map .map-core-item').first().innerText());
      assert.match(first,
        /^97 % core 3 hottest, 1\.40 GHz eth0 rx 0 11\.0 kpps eth0 rx 1 11\.4 kpps/);
      assert.match(first, /and 10 more$/);
      await page.locator('#map .map-feed').first().tap();
      await until('the reading', async () => /^eth0 queue 0 .*interrupt 40 on core 3/.test(
        await textOf(page, READING)));
      await page.locator('#map .map-feed').first().tap();
      await until('the hint', async () => (await textOf(page, READING)).startsWith('Press a line'));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(complaints, []);
      await close();
    }
  });

  test('RPS is dashed, and what has no interrupt says so', async () => {
    const { page, complaints, close } = await openDrawn(maps.mixed());
    const rps = page.locator('#map [data-kind="rps"]');
    await until('dashed lines', async () => await rps.count() === 5);
    const dashes = await rps.first().evaluate((path) =>
      getComputedStyle(path).strokeDasharray);
    assert.notEqual(dashes, 'none');
    const notes = (await page.locator('#map .map-note').allInnerTexts()).map(plain);
    assert.ok(notes.includes('no interrupt: softirq of the sending core'), notes.join());
    assert.ok(notes.some((text) => text.startsWith('no queue counters')), notes.join());
    assert.deepEqual(complaints, []);
    await close();
  });

  test('without an interface it says so and draws no lanes', async () => {
    const { page, complaints, close } = await openMap(maps.empty());
    await until('the words', async () => /No network interface/.test(await page.innerText('#map')));
    assert.equal(await page.locator('#map .map-plane').isVisible(), false);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('interfaces show where packets are lost and how queues share', async () => {
    const { page, complaints, close } = await openDrawn(maps.collapsed());
    const eth0 = page.locator('#interfaces .nic').first();
    await until('losses', async () => plain(await eth0.locator('.nic-stages').innerText())
      === 'lost wire 0 ring 118 /s qdisc 0 sending 0 unattributed 3 /s');
    assert.equal(await eth0.locator('.stage[data-lossy]').count(), 2);
    /* Queues come with the first tick, which may be after the losses. */
    await until('shares', async () =>
      /busiest in 1, 98 %/.test(plain(await eth0.locator('summary').innerText())));
    await eth0.locator('summary').click();
    const row = eth0.locator('tbody tr').nth(1);
    await until('figures', async () => /^1 66\.2 kpps 98 % /.test(plain(await row.innerText())));
    assert.deepEqual(complaints, []);
    await close();
  });

  test('cores show their clock, whether it is measured, and their threads', async () => {
    const { page, complaints, close } = await openDrawn(maps.mixed());
    const row = page.locator('#cores [data-core="2"]');
    await until('the clock', async () => /0\.80 of 1\.80 GHz/.test(plain(await row.innerText())));
    assert.match(await page.innerText('#cores .core-head'), /Clock, requested/);
    assert.match(plain(await row.innerText()), /packet threads napi\/eth1-8193 34 %/);
    assert.match(plain(await page.innerText('#cores [data-core="1"]')), /processes openvpn 88 %/);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('of this machine it shows what the API tells', async () => {
    const { page, complaints, close } = await openPage();
    const { devices } = await api('map');
    const shown = devices.filter((d) => d.kind === 'physical' && d.up !== false)
      .map((d) => d.device);
    await until('the interfaces', async () => {
      const names = (await page.locator('#map .map-device .map-name').allInnerTexts()).map(plain);
      return shown.every((name) => names.includes(name))
        || (devices.length === 0 && /No network/.test(await page.innerText('#map')));
    });
    assert.deepEqual(complaints, []);
    await close();
  });

  test('the page weighs less than 120 kB compressed', async () => {
    const { page, close } = await openPage();
    await until('the map', () => page.locator('#map-summary').count());
    const { gzipSync } = await import('node:zlib');
    const paths = await page.evaluate(() => performance.getEntriesByType('resource')
      .map((entry) => entry.name).filter((name) => !name.includes('/api/')));
    let sum = 0;
    for (const path of [page.url(), ...new Set(paths)])
      sum += gzipSync(Buffer.from(await (await fetch(path)).arrayBuffer())).length;
    assert.ok(paths.length > 20 && sum < 120000, `${sum} bytes in ${paths.length} files`);
    await close();
  });
});
