/* SPDX-License-Identifier: ISC */
/*
 * The page about the instrument as Chromium shows it, of a ringsided that watches
 * this machine, and of answers it does not give here.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as maps from './maps.mjs';
import { api, close as closeAll, open, openMap, openPage, startDaemon, stopDaemon, until }
  from './support.mjs';

before(open);
after(closeAll);

const ROOT = '#page-about';
const plain = (text) => text.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();
const textOf = async (locator) => plain(await locator.innerText());
const fact = (page, name) => page.locator(`${ROOT} .fact`)
  .filter({ has: page.getByText(name, { exact: true }) }).locator('.fact-value');

async function openAbout(options) {
  const opened = await openPage(options);
  await opened.page.locator('#pages a[href="#about"]').click();
  await until('figures', () => fact(opened.page, 'CPU of a tick').isVisible());
  return opened;
}

/* health: what the daemon says, or a number: the status it refuses with. */
async function openCanned(health) {
  const opened = await openMap(maps.piled());
  await opened.page.route('**/api/v1/health', (route) => typeof health === 'number'
    ? route.fulfill({ status: health, json: { detail: 'this needs a token' } })
    : route.fulfill({ json: health }));
  await opened.page.evaluate(() => { location.hash = '#about'; });
  await opened.page.waitForSelector(`${ROOT} h2`);
  return opened;
}

describe('about', () => {
  test('what the daemon says of itself, in units', async () => {
    const { page, complaints, close } = await openAbout();
    assert.match(await textOf(fact(page, 'CPU of a tick')), /^\d+(\.\d)? (\u00b5s|ms)$/);
    assert.match(await textOf(fact(page, 'Memory')), /^[\d.]+ MB$/);
    assert.match(await textOf(fact(page, 'Ticks missed')), /^\d+ of \d+$/);
    assert.match(await textOf(fact(page, 'Series')), /^\d+ of at most 20 000$/);
    assert.equal(await textOf(fact(page, 'State')),
      'the last hour in memory: lost when it ends');
    assert.equal(await textOf(fact(page, 'Written')), 'nothing');
    assert.equal(await fact(page, 'Written a day').isVisible(), false);
    assert.equal(await fact(page, 'Longest commit').isVisible(), false);
    assert.match(await textOf(page.locator(`${ROOT} .about-asked`)),
      /^As of \d\d:\d\d:\d\d\. Times are local \(.*(GMT|UTC).*\)\.$/);
    assert.equal(await textOf(fact(page, 'A sample every')), '1 s');
    await until('its share of a core', () => fact(page, 'CPU, share of one core').isVisible());
    await until('its version', async () => /Ringside \d+\.\d+/.test(
      await textOf(page.locator(ROOT))));
    const { sources } = await api('health');
    assert.equal(await page.locator(`${ROOT} .about-table tr[data-kind]`).count(), sources.length);
    assert.match(await textOf(page.locator(ROOT)), /\/proc\/stat/);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('it is asked again while it is shown, and not when it is not', async () => {
    const { page, close } = await openAbout();
    let n = 0;
    page.on('request', (request) => { n += request.url().endsWith('/health'); });
    await until('two more answers', () => n >= 2);
    await page.locator('#pages a[href="#findings"]').click();
    await until('it is gone', () => page.locator(ROOT).isHidden());
    const left = n;
    await until('some more ticks', async () => {
      const at = (await api('summary')).sampled_at_ms;
      page.firstTick ??= at;
      return at >= page.firstTick + 4000;
    });
    assert.ok(n <= left + 1, `${n - left} more`);
    await close();
  });

  test('shown twice, it is asked as often as shown once', async () => {
    const { page, close } = await openAbout();
    await page.evaluate(() => { location.hash = '#about?a=1'; });
    await page.evaluate(() => { location.hash = '#about?a=2'; });
    let n = 0;
    page.on('request', (request) => { n += request.url().endsWith('/health'); });
    await page.locator('#pages a[href="#findings"]').click();
    await until('it is gone', () => page.locator(ROOT).isHidden());
    const left = n;
    const at = (await api('summary')).sampled_at_ms;
    await until('some more ticks', async () => (await api('summary')).sampled_at_ms >= at + 7000);
    assert.ok(n <= left + 1, `${n - left} more`);
    await close();
  });

  test('links lead to what is there', async () => {
    const { page, close } = await openAbout();
    const links = await page.locator(`${ROOT} a`).evaluateAll((list) => list.map((a) => a.href));
    assert.ok(links.length >= 10);
    for (const href of links)
      assert.equal((await fetch(href)).status, 200, href);
    await close();
  });

  test('what cannot be read stands first, with the reason', async () => {
    const source = (id, state, reason = null) => ({ id, state, reason, path: 'proc/' + id, reads: 9,
      failures: 0, cost_us: 10, skipped_rows: 0 });
    const { page, close } = await openCanned({ uptime_s: 90, ticks: 90, ticks_late: 2,
      ticks_missed: 1, sources: [source('stat', 'ok'), source('thermal', 'missing', 'No such file'),
        source('flows', 'forbidden', 'needs CAP_NET_ADMIN'),
        { ...source('interrupts', 'ok'), skipped_rows: 2 }],
      rules_not_evaluated: [{ code: 'cpu.freq_low', reason: 'needs the clock of the cores' }] });
    const sources = page.locator(`${ROOT} .about-table tr[data-kind]`);
    await until('sources', async () => await sources.count() === 4);
    assert.match(await textOf(sources.nth(0)),
      /^flows on a hot core not permitted needs CAP_NET_ADMIN/);
    assert.match(await textOf(sources.nth(1)),
      /^interrupts read in part 2 rows of the last reading not understood/);
    assert.match(await textOf(sources.nth(2)),
      /^temperature not on this system This kernel, driver or machine has none: No such file/);
    assert.match(await textOf(page.locator(ROOT)), /cpu\.freq_low needs the clock of the cores/);
    assert.equal(await textOf(fact(page, 'Ticks missed')), '1 of 90');
    assert.equal(await fact(page, 'Longest commit').isHidden(), false);
    assert.equal(await textOf(fact(page, 'Longest commit')), '\u2014', 'not known is no 0');
    await close();
  });

  test('not permitted is said', async () => {
    const { page, close } = await openCanned(401);
    await until('the words', async () =>
      /Not permitted: this needs a token/.test(await textOf(page.locator(ROOT))));
    await close();
  });

  test('it fits a phone', async () => {
    const { page, complaints, close } = await openAbout({ viewport: { width: 360, height: 800 } });
    const [width, room] = await page.evaluate(() =>
      [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(width <= room, `${width} px in a window of ${room}`);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a daemon that is gone is said to be, and what it said last stays', async () => {
    const { page, close } = await openAbout();
    await stopDaemon();
    await until('the words', async () =>
      /does not answer.*said last/.test(await textOf(page.locator(`${ROOT} [role=status]`))));
    assert.ok(await fact(page, 'CPU of a tick').isVisible());
    await startDaemon();
    await until('answers again', () => page.locator(`${ROOT} [role=status]`).isHidden());
    await close();
  });
});
