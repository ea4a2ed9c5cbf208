/* SPDX-License-Identifier: ISC */
/*
 * The page as Chromium shows it, from a ringsided that watches this machine.
 * RINGSIDED and CHROMIUM name the programs (run.sh).
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { api, close as closeAll, open, openPage, startDaemon, stopDaemon, until }
  from './support.mjs';

/* For each row of the heatmap, how many of its pixels are cells: opaque and like
 * their neighbour, which the lines of the hatching are not. */
function cellPixels(page) {
  return page.evaluate(async () => {
    const { layout } = await import(new URL('heatgrid.js', document.baseURI));
    const canvas = document.querySelector('#load canvas');
    const cores = [...document.querySelectorAll('#cores [data-core]')].map((row) =>
      Number(row.dataset.core)).sort((a, b) => a - b);
    const grid = layout(canvas.clientWidth, cores);
    const scale = canvas.width / canvas.clientWidth;
    const width = Math.floor(grid.plot.width * scale);
    const copy = new OffscreenCanvas(canvas.width, canvas.height)
      .getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return cores.map((_, row) => {
      const y = grid.plot.top + row * grid.rowHeight + (grid.rowHeight - grid.rowGap) / 2;
      const pixels = new Uint32Array(copy.getImageData(
        Math.round(grid.plot.left * scale), Math.floor(y * scale), width, 1).data.buffer);
      let n = 0;
      for (let x = 1; x < pixels.length; x++)
        n += pixels[x] >>> 24 === 255 && pixels[x] === pixels[x - 1];
      return n;
    });
  });
}

/* Big machines fold their quiet cores. */
async function showAllCores(page) {
  const fold = page.locator('#cores .fold[aria-expanded="false"]');
  if (await fold.isVisible())
    await fold.click();
}

async function isLive(page) {
  return await page.getAttribute('#link', 'data-link') === 'live';
}

let origin;

before(async () => {
  origin = await open();
  await until('twelve stored samples', async () => {
    const { time_ms: times } = await api('series?metric=core_packet_load_ratio&after=-300');
    return times.length >= 12;
  });
});

after(closeAll);

describe('dashboard', () => {
  test('the page comes with a policy that allows only its own host', async () => {
    const answer = await fetch(origin + '/');
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
  });

  test('the heatmap is painted from history before the stream says a word', async () => {
    const { page, complaints, close } = await openPage({}, (p) =>
      p.route('**/api/v1/stream', () => { /* Never answered. */ }));
    /* One sample is what the other requests give; five can only be history. */
    const few = 5 * 1280 / 300;
    const rows = await until('cells of stored samples', async () => {
      await showAllCores(page);
      const pixels = await cellPixels(page);
      return pixels.some((n) => n > few) && pixels;
    });
    const cores = (await api('cores')).filter((c) => c.online).length;
    assert.equal(rows.filter((n) => n > few).length, cores, 'every core that is online has a row');
    assert.equal(await isLive(page), false);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('the heatmap grows while the page is open', async () => {
    const { page, complaints, close } = await openPage();
    await until('the page being live', () => isLive(page));
    await showAllCores(page);
    const canvas = page.locator('#load canvas');
    const samples = async () => Number(await canvas.getAttribute('data-samples'));
    const sum = (rows) => rows.reduce((a, b) => a + b, 0);
    const first = await until('cells', async () => sum(await cellPixels(page)));
    const before = await samples();
    await until('three more samples', async () => await samples() >= before + 3);
    const grown = sum(await cellPixels(page));
    assert.ok(grown > first, `${first} cell pixels became ${grown}`);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('verdict, cores and interfaces are those of the API', async () => {
    const { page, complaints, close } = await openPage();
    await until('the page being live', () => isLive(page));
    await until('the sentence of the API', async () =>
      await page.textContent('#sentence') === (await api('summary')).verdict);
    assert.notEqual((await page.textContent('#state')).trim(), '');
    assert.equal(await page.locator('#state svg').count(), 1);
    assert.match(await page.textContent('#sampled'), /\d\d:\d\d:\d\d/);
    assert.equal(await page.locator('#figures dt').count(), 6);

    await showAllCores(page);
    const shown = await page.locator('#cores [data-core]').evaluateAll((rows) =>
      rows.map((row) => Number(row.dataset.core)));
    assert.deepEqual(shown.sort((a, b) => a - b), (await api('cores')).map((c) => c.core).sort((a, b) => a - b));

    const names = (await page.locator('#interfaces h3').allTextContents()).sort();
    assert.deepEqual(names, (await api('interfaces')).filter((i) => i.up !== false)
      .map((i) => i.device).sort());
    assert.match(await page.textContent('#instrument'), /CPU per tick.*\d/s);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('the legend names findings in the colours of their bars', async () => {
    const { page, close } = await openPage();
    const item = page.locator('.legend-item').filter({ hasText: 'finding' });
    assert.equal((await item.textContent()).trim(), 'finding');
    const { swatches, colors } = await item.evaluate(async (node) => {
      const { palette } = await import(new URL('palette.js', document.baseURI));
      const shown = (element) => getComputedStyle(element).backgroundColor;
      const probe = document.body.appendChild(document.createElement('i'));
      const colors = ['info', 'warn', 'crit'].map((name) => {
        probe.style.backgroundColor = palette()[name];
        return shown(probe);
      });
      probe.remove();
      return { swatches: [...node.querySelectorAll('.legend-findings > span')].map(shown), colors };
    });
    assert.equal(new Set(colors).size, 3);
    assert.deepEqual(swatches, colors);
    await close();
  });

  test('single cells can be read with the keyboard', async () => {
    const { page, close } = await openPage();
    await until('the page being live', () => isLive(page));
    await page.focus('#load canvas');
    await page.keyboard.press('ArrowLeft');
    assert.match(await page.textContent('#readout'), /^Core \d+ at \d\d:\d\d:\d\d: /);
    await page.keyboard.press('Escape');
    assert.doesNotMatch(await page.textContent('#readout'), /^Core/);
    await close();
  });

  test('it fits a phone, and is dark in dark mode', async () => {
    const brightness = {};
    for (const colorScheme of ['light', 'dark']) {
      const { page, complaints, close } = await openPage({ viewport: { width: 360, height: 700 },
        deviceScaleFactor: 2, colorScheme });
      await until('the page being live', () => isLive(page));
      await showAllCores(page);
      await until('cells', async () => (await cellPixels(page)).some((n) => n > 0));
      const widths = await page.evaluate(() =>
        [document.documentElement.scrollWidth, window.innerWidth]);
      assert.ok(widths[0] <= widths[1], `${widths[0]} px in a window of ${widths[1]}`);
      brightness[colorScheme] = await page.evaluate(() =>
        getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3)
          .reduce((a, b) => a + Number(b), 0));
      assert.deepEqual(complaints, []);
      await close();
    }
    assert.ok(brightness.dark < 200 && brightness.light > 600, JSON.stringify(brightness));
  });

  test('a daemon that goes away is said to, and one that comes back is live again', async () => {
    const { page, close } = await openPage();
    await until('the page being live', () => isLive(page));
    const canvas = page.locator('#load canvas');
    const before = Number(await canvas.getAttribute('data-samples'));
    await stopDaemon();
    await until('the page saying so', async () =>
      /stale since \d\d:\d\d:\d\d/.test(await page.textContent('#link')));
    await startDaemon();
    await until('the page being live again', () => isLive(page));
    await until('samples going on where they were', async () =>
      Number(await canvas.getAttribute('data-samples')) > before);
    await close();
  });
});
