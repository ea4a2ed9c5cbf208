/* SPDX-License-Identifier: ISC */
/*
 * The first page as Chromium shows it: how it is looked at, what a cell says, and
 * what it shows of routers that have little to show.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as maps from './maps.mjs';
import { close as closeAll, open, openMap, until } from './support.mjs';

before(open);
after(closeAll);

const plain = (text) => text.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();
const textOf = async (page, selector) => plain(await page.locator(selector).first().innerText());
const samples = async (page) => Number(await page.locator('#load canvas')
  .getAttribute('data-samples'));

/* A daemon that has stored an hour of the given load by core, and what went into it.
 * questions: what was asked of it. */
function stored(loads, questions = []) {
  const now = Date.now();
  const of = (s) => {
    const step = s > 1800 ? 2 : 1;
    const times = Array.from({ length: s / step }, (_, i) => now - 1000 * (s - step * (i + 1)));
    return { resolution_ms: 1000 * step, time_ms: times, series: loads.map((load, core) => ({
      labels: { cpu: String(core) }, values: times.map(() => load) })) };
  };
  return (name, url) => {
    if (name !== 'series')
      return null;
    const asked = Object.fromEntries(url.searchParams);
    questions.push(asked);
    if (asked.metric === 'core_packet_load_ratio')
      return { json: of(-Number(asked.after)) };
    if (asked.metric !== 'core_cpu_seconds')
      return null;
    const split = { user: 0.03, nice: 0, system: 0.11, irq: 0.04, softirq: 0.72, steal: 0 };
    return { json: { time_ms: [now], series: Object.entries(split).map(([mode, value]) =>
      ({ labels: { cpu: asked.cpu, mode }, values: [value] })) } };
  };
}

/* The middle of a row of the heatmap, at a share of its width. */
async function pointAt(page, row, share) {
  const { x, y } = await page.evaluate(async ([r, s]) => {
    const { layout } = await import(new URL('heatgrid.js', document.baseURI));
    const canvas = document.querySelector('#load canvas');
    canvas.scrollIntoView({ block: 'center' });
    const box = canvas.getBoundingClientRect();
    const { plot, rowHeight } = layout(box.width, [0, 1, 2, 3]);
    return { x: box.x + plot.left + s * plot.width,
      y: box.y + plot.top + (r + 0.4) * rowHeight };
  }, [row, share]);
  await page.mouse.move(x, y);
}

async function openStored(map, { questions = [], ...options } = {}) {
  const loads = map.cores.map((c) => c.packet_load);
  const opened = await openMap(map, { answer: stored(loads, questions), ...options });
  await until('stored samples', async () => await samples(opened.page) >= 300);
  await opened.say('tick', maps.tickOf(map));
  return { ...opened, questions };
}

describe('now', () => {
  test('the heatmap shows an hour on request, and the address says so', async () => {
    const { page, questions, complaints, close } = await openStored(maps.piled());
    const loadsAsked = () => questions.filter((q) => q.metric === 'core_packet_load_ratio');
    assert.deepEqual(loadsAsked().map((q) => q.after), ['-300'], 'asked once');
    assert.doesNotMatch(await textOf(page, '#load .heat-hint'), /highest/);
    await page.locator('#load input[value="300"]').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await until('an hour', async () => await samples(page) > 1700);
    assert.equal(new URL(page.url()).hash, '#now?span=3600');
    const { points, aggregate } = loadsAsked().at(-1);
    assert.deepEqual([points, aggregate], ['1800', 'max'], 'peaks survive');
    assert.match(await textOf(page, '#load .heat-hint'), /Each column is the highest of \d+ s/);
    assert.match(await page.locator('#load canvas').getAttribute('aria-label'), /last hour/);
    await page.locator('#load label', { hasText: /^5 min$/ }).click();
    await until('the address', () => new URL(page.url()).hash === '#now');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a link shows the same: span and order', async () => {
    const { page, questions, complaints, close } = await openStored(maps.collapsed(),
      { path: '/#now?span=900&order=number' });
    assert.equal(questions[0].after, '-900', 'the first question is the right one');
    assert.ok(await page.locator('#load input[value="900"]').isChecked());
    const order = () => page.locator('#cores [data-core]').evaluateAll((rows) =>
      rows.map((row) => row.dataset.core).join());
    await until('by number', async () => await order() === '0,1,2,3');
    await page.locator('#cores label', { hasText: 'hottest first' }).click();
    await until('the hottest first', async () => (await order()).startsWith('1'));
    assert.equal(new URL(page.url()).hash, '#now?span=900');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a cell under the pointer tells what went into it and who feeds the core', async () => {
    const { page, say, questions, complaints, close } = await openStored(maps.piled());
    await until('the map', () => page.locator('#map .map-row').first().isVisible());
    await pointAt(page, 3, 0.4);
    const card = page.locator('#readout');
    const text = await until('the split', async () => {
      const words = plain(await card.innerText());
      return words.includes('72 %') && words;
    });
    assert.match(text, /^Core 3 at \d\d:\d\d:\d\d: 97 % packet load hard interrupts 4 % /);
    assert.match(text, /system 11 % user 3 % now fed by eth0 rx 0 to 3 \(44\.2 kpps\)/);
    assert.doesNotMatch(text, /stolen/, 'what is not there is not told');
    const asked = questions.filter((q) => q.metric === 'core_cpu_seconds');
    assert.deepEqual(asked.map((q) => q.cpu), ['3'], 'once, when the pointer rests');
    /* The reading stays with its second while the picture moves on. */
    const at = /at (\S+):/.exec(text)[1];
    await say('tick', maps.tickOf(maps.piled(), Date.now() + 5000));
    await until('the tick', async () => /\d\d:\d\d:\d\d/.test(await textOf(page, '#sampled')));
    assert.ok(plain(await card.innerText()).includes(at));
    assert.equal(questions.filter((q) => q.metric === 'core_cpu_seconds').length, 1);
    await page.mouse.move(5, 5);
    await until('it gone', async () => !await card.isVisible());
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a split that failed is asked for again when it is pointed at again', async () => {
    const { page, close } = await openStored(maps.piled());
    const isSplit = (url) => url.searchParams.get('metric') === 'core_cpu_seconds';
    const refuse = (route) => route.fulfill({ status: 503, json: { detail: 'try again' } });
    await page.route(isSplit, refuse);
    const words = async () => plain(await page.locator('#readout').innerText());
    await pointAt(page, 3, 0.4);
    await until('the refusal', async () => /is not known: try again/.test(await words()));
    await page.unroute(isSplit, refuse);
    await page.mouse.move(5, 5);
    await until('it gone', async () => !await page.locator('#readout').isVisible());
    await pointAt(page, 3, 0.4);
    await until('the split', async () => /soft interrupts 72 %/.test(await words()));
    await close();
  });

  test('a split that is long on its way is asked for once', async () => {
    const { page, say, close } = await openStored(maps.piled());
    let asked = 0;
    await page.route((url) => url.searchParams.get('metric') === 'core_cpu_seconds',
      () => { asked++; /* Never answered. */ });
    await pointAt(page, 3, 0.4);
    await until('the question', () => asked === 1);
    for (let i = 1; i <= 4; i++) {
      const before = await samples(page);
      await say('tick', maps.tickOf(maps.piled(), Date.now() + 5000 + 1000 * i));
      await until('a repaint', async () => await samples(page) > before);
      /* Longer than the pointer has to rest before it asks. */
      await page.waitForTimeout(300);
    }
    assert.equal(asked, 1);
    await close();
  });

  test('a tab that was opened in the background gives its stream back', async () => {
    const { page, close } = await openMap(maps.piled());
    await page.addInitScript(() => {
      Object.defineProperty(document, 'hidden', { get: () => true });
      window.sources = [];
      window.EventSource = class extends window.EventSource {
        constructor(...words) {
          super(...words);
          window.sources.push(this);
        }
      };
    });
    await page.clock.install();
    await page.reload();
    await until('the stream', () => page.evaluate(() => window.sources.length === 1));
    await page.clock.fastForward(31000);
    await until('its end', () => page.evaluate(() => window.sources[0].readyState === 2));
    await close();
  });

  test('the last second is told without asking', async () => {
    const { page, questions, close } = await openStored(maps.piled());
    await page.locator('#load canvas').focus();
    for (const key of ['End', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
      await page.keyboard.press(key);
    await until('the split', async () => /^Core 3 .* soft interrupts 92 %/.test(
      plain(await page.locator('#readout').innerText())));
    assert.equal(questions.filter((q) => q.metric === 'core_cpu_seconds'
      && q.cpu === '3').length, 0);
    await close();
  });

  test('a page in the background draws nothing and is whole again when looked at', async () => {
    const map = maps.piled();
    const { page, say, asked, complaints, close } = await openStored(map);
    await until('the map', () => page.locator('#map .map-row').first().isVisible());
    const before = await samples(page);
    await page.evaluate(() => {
      /* As a browser has it: hidden, and no animation frames. */
      const frame = window.requestAnimationFrame.bind(window);
      const held = [];
      let isHidden = true;
      Object.defineProperty(document, 'hidden', { get: () => isHidden });
      window.requestAnimationFrame = (f) => isHidden ? held.push(f) : frame(f);
      document.dispatchEvent(new Event('visibilitychange'));
      window.mutations = 0;
      new MutationObserver((list) => { window.mutations += list.length; }).observe(document.body,
        { subtree: true, childList: true, attributes: true, characterData: true });
      window.lookAgain = () => {
        isHidden = false;
        held.splice(0).forEach((f) => frame(f));
        document.dispatchEvent(new Event('visibilitychange'));
      };
    });
    const maps0 = asked.filter((name) => name === 'map').length;
    const at = Date.now() + 5000;
    for (let i = 1; i <= 20; i++)
      await say('tick', maps.tickOf(map, at + 1000 * i, (pps) => pps * i / 20));
    assert.equal(await page.evaluate(() => window.mutations), 0);
    assert.equal(asked.filter((name) => name === 'map').length, maps0);
    await page.evaluate(() => window.lookAgain());
    await until('all of it', async () => await samples(page) >= before + 20);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('out of sight a panel waits, in sight it is up to date', async () => {
    const map = maps.bigBusy();
    const { page, say, close } = await openStored(map, { viewport: { width: 1280, height: 500 } });
    const pps = page.locator('#interfaces .nic-pps').first();
    await until('interfaces', async () => /pps/.test(await pps.textContent()));
    await say('tick', maps.tickOf(map, Date.now() + 1000, () => 123));
    await pps.evaluate((node) => node.scrollIntoView());
    await until('the tick', async () => plain(await pps.textContent()) === '123 pps');
    await close();
  });
});

describe('now, what is told', () => {
  const finding = { id: 7, code: 'core.imbalance', title: 'One core does it', severity: 'warn',
    confidence: 'high', subject: { kind: 'core', core: 3 }, raised_ms: Date.now(), cleared_ms: null,
    episodes: 1, stale: false, message: 'Core 3 is full.', evidence: [], causes: [],
    ruled_out: [], advice: [] };

  test('a finding that comes while the list is on its way stays', async () => {
    const { page, say, close } = await openMap(maps.piled());
    const list = page.locator('#findings .finding');
    const routes = [];
    /* The page before the reload may have asked, too. */
    page.on('framenavigated', () => routes.splice(0));
    await page.route('**/api/v1/findings?*', (route) => routes.push(route));
    await page.reload();
    await until('the question', () => routes.length > 0);
    await until('the stream', () => page.evaluate(() => typeof window.say === 'function'));
    await say('finding', { finding });
    await until('it', async () => await list.count() === 1);
    const json = [{ ...finding, id: 3, cleared_ms: Date.now() - 1000 }];
    for (const route of routes)
      await route.fulfill({ json });
    await until('the list', async () =>
      /1 cleared lately/.test(plain(await page.locator('#findings').textContent())));
    assert.equal(await list.count(), 1);
    await close();
  });

  test('times have their zone, once', async () => {
    const map = maps.piled();
    const { page, say, close } = await openMap(map, { timezoneId: 'Europe/Berlin' });
    await say('tick', maps.tickOf(map));
    const foot = /^Sampled \d\d:\d\d:\d\d \(Europe\/Berlin, GMT\+[12]\), every 1 s/;
    await until('the foot', async () => foot.test(await textOf(page, '#sampled')));
    const all = plain(await page.locator('body').innerText());
    assert.equal(all.match(/GMT/g).length, 1);
    await close();
  });

  test('how far work spreads is not told of none', async () => {
    const map = maps.piled();
    const { page, say, close } = await openMap(map);
    const spread = page.locator('.figure').filter({ hasText: 'Work spread over' }).locator('dd');
    await until('the figure', async () => plain(await spread.innerText()) === '1.2 of 4');
    const tick = maps.tickOf(map, Date.now() + 1000);
    tick.summary.hottest_core_load = 0.01;
    await say('tick', tick);
    await until('a dash', async () => plain(await spread.innerText()) === '\u2014');
    await close();
  });

  test('what the machine has not is no source that could not be read', async () => {
    const source = (id, state) => ({ id, state });
    const { page, close } = await openMap(maps.piled(), { answer: (name) => name === 'health'
      ? { json: { tick_cpu_us: 300, bytes_written_per_day: 0, store: { state: 'memory' },
        rules_not_evaluated: [], sources: [source('stat', 'ok'), source('thermal', 'missing'),
          source('cpufreq', 'missing'), source('threads', 'forbidden')] } } : null });
    const foot = page.locator('#instrument');
    await until('one', async () =>
      /\b1 source could not be read/.test(plain(await foot.innerText())));
    assert.match(plain(await foot.innerText()), /Written per day nothing/);
    assert.match(plain(await foot.innerText()), /There is no database: the last hour is in memory/);
    await close();
  });
});

describe('now, when there is little to show', () => {
  const shown = async (page, name) => plain(await page.locator('#' + name).innerText());

  test('before the first sample every panel says what it waits for', async () => {
    const { page, complaints, close } = await openMap(maps.empty(), { answer: (name) => ({
      summary: { json: { state: 'unknown', verdict: 'no sample yet', sampled_at_ms: null,
        interval_ms: 1000, findings_active: 0 } },
      cores: { json: [] }, interfaces: { json: [] },
      map: { status: 503, json: { detail: 'no sample yet' } },
    })[name] ?? null });
    for (const name of ['load', 'cores', 'interfaces'])
      await until(name, async () => /just started/.test(await shown(page, name)));
    await until('map', async () => /no sample yet/.test(await shown(page, 'map')));
    assert.match(await shown(page, 'findings'), /Waiting for the first sample/);
    assert.deepEqual(complaints.filter((text) => !text.includes('503')), []);
    await close();
  });

  test('where nothing can be judged, none found is not said plainly', async () => {
    const map = maps.piled();
    const { summary } = maps.tickOf(map);
    const { page, close } = await openMap(map, { answer: (name) => name === 'summary'
      ? { json: { ...summary, state: 'unknown', verdict: 'no verdict' } } : null });
    await until('the words', async () =>
      /Nothing found of what can be judged/.test(await shown(page, 'findings')));
    await close();
  });

  test('without permission it says so, once how to get it', async () => {
    const { page, close } = await openMap(maps.piled(),
      { answer: () => ({ status: 401, json: { detail: 'a token is needed' } }) });
    await until('the token', async () => /asks for its token/.test(await shown(page, 'problem')));
    for (const name of ['load', 'cores', 'interfaces'])
      await until(name, async () => /does not show this page/.test(await shown(page, name)));
    assert.match(await shown(page, 'findings'), /Not permitted/);
    await close();
  });

  test('history that cannot be had is told, the live view goes on', async () => {
    const map = maps.piled();
    const { page, say, close } = await openMap(map, { answer: (name) => name === 'series'
      ? { status: 503, json: { detail: 'the history cannot be read' } } : null });
    await say('tick', maps.tickOf(map));
    await until('the words', async () =>
      /stored is not available: the history cannot be read/.test(await shown(page, 'load')));
    assert.ok(await samples(page) > 0);
    await close();
  });

  test('one core, and no NIC', async () => {
    const one = maps.makeMap({ loads: [0.4], devices: [] });
    const { page, complaints, close } = await openMap(one);
    await until('the core', async () => /core 0 .*40 %/.test(await shown(page, 'cores')));
    assert.equal(await page.locator('#cores .fold').isVisible(), false);
    assert.match(await page.locator('#load canvas').getAttribute('aria-label'), /of one core/);
    assert.match(await shown(page, 'interfaces'), /No network interface is there\./);
    assert.match(await shown(page, 'map'), /No network interface/);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('64 busy cores stand closer, and idle ones are folded', async () => {
    for (const [name, rows] of [['big', 5], ['bigBusy', 64]]) {
      const { page, complaints, close } = await openStored(maps[name]());
      await until(name, async () => await page.locator('#cores [data-core]').count() === rows);
      const heights = await page.locator('#cores [data-core]').evaluateAll((list) =>
        list.map((row) => row.offsetHeight));
      assert.ok(rows < 17 || Math.max(...heights.slice(1)) < 26, String(Math.max(...heights)));
      assert.deepEqual(complaints, []);
      await close();
    }
  });

  test('losses are told by stage, and that there are none', async () => {
    const map = maps.mixed();
    const lossy = maps.tickOf(map, Date.now() + 1000);
    lossy.cores[1].softnet.dropped_pps = 40;
    lossy.cores[2].softnet.dropped_pps = 2;
    const { page, say, close } = await openMap(map);
    const list = page.locator('#interfaces .nic');
    await until('stages', async () => /^lost wire 0 ring 118 \/s/.test(
      plain(await list.nth(0).locator('.nic-stages').innerText())));
    assert.match(plain(await list.nth(1).innerText()), /no drops/);
    assert.equal(await list.nth(1).locator('.nic-stages').isVisible(), false);
    assert.match(await shown(page, 'interfaces'), /Backlogs of the cores: no drops\./);
    await page.locator('#interfaces').scrollIntoViewIfNeeded();
    await say('tick', lossy);
    await until('the backlog', async () =>
      /Lost in the backlogs of cores 1, 2: 42 \/s/.test(await shown(page, 'interfaces')));
    await close();
  });

  test('why there are no queue counters is said', async () => {
    const { page, close } = await openMap(maps.mixed());
    await until('the reasons', async () => {
      const text = await shown(page, 'map');
      return /names of its counters are not known/.test(text);
    });
    await close();
  });

  test('it is as wide as the window, and nothing sticks out', async () => {
    for (const width of [360, 768, 1920, 2560]) {
      const { page, close } = await openStored(maps.mixed(), { viewport: { width, height: 900 } });
      const { inner, scroll, main } = await page.evaluate(() => ({ inner: innerWidth,
        scroll: document.documentElement.scrollWidth,
        main: document.querySelector('main').clientWidth }));
      assert.ok(scroll <= inner, `${scroll} px in a window of ${inner}`);
      assert.ok(main > 0.9 * inner - 40, `${main} px of ${inner} are used`);
      await close();
    }
  });
});
