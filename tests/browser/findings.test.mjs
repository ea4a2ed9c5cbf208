/* SPDX-License-Identifier: ISC */
/*
 * The page of findings as Chromium shows it, of a router that is not at hand
 * (findings.mjs, maps.mjs).
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linkFinding, makeFinding, past, seriesOf } from './findings.mjs';
import * as maps from './maps.mjs';
import { close as closeAll, open, openMap, until } from './support.mjs';

before(open);
after(closeAll);

const ROOT = '#page-findings';
const plain = (text) => text.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();
const card = (page, id) => page.locator(`${ROOT} [data-id="${id}"]`);
const toggle = (page, id) => card(page, id).locator('.card-toggle');
const textOf = async (locator) => plain(await locator.innerText());
const isOpen = async (page, id) =>
  await toggle(page, id).getAttribute('aria-expanded') === 'true';
const shownIds = (page) => page.locator(`${ROOT} .card`).evaluateAll((nodes) =>
  nodes.map((node) => Number(node.dataset.id)));
const focusedId = (page) => page.evaluate(() =>
  document.activeElement?.closest('[data-id]')?.dataset.id ?? null);

/* A page of findings that the machine has, at an address. history(url) is the
 * answer for series; broken: paths that are refused. */
async function openFindings(findings, hash = '#findings', more = {}) {
  const { history, broken = new Set(), ...options } = more;
  const machine = { findings, series: [] };
  const from = findings[0]?.raised_ms ?? 0;
  const to = findings[0]?.cleared_ms ?? Infinity;
  const opened = await openMap(maps.piled(), options);
  const { page } = opened;
  await page.route('**/api/v1/findings?*', (route) => broken.has('findings')
    ? route.fulfill({ status: 503, json: { detail: 'too many questions at once' } })
    : route.fulfill({ json: machine.findings }));
  await page.route('**/api/v1/series?*', (route) => {
    const url = new URL(route.request().url());
    /* The first page asks relative to now. */
    if (!url.searchParams.get('after').startsWith('-'))
      machine.series.push(url.searchParams);
    return route.fulfill({ json: history ? history(url) : seriesOf(url, { from, to }) });
  });
  await page.route('**/api/v1/catalog', (route) => route.fulfill({ json: [] }));
  if (broken.has('chart'))
    await page.route('**/uplot/uPlot.js', (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(page.url().replace(/#.*$/, '') + hash);
  await page.reload();
  await page.waitForSelector('#state svg', { state: 'attached' });
  return { ...opened, machine };
}

/* Its evidence has come. */
const drawn = (page, id) => until('the evidence of ' + id, async () =>
  await card(page, id).locator('.phases').count() > 0);

describe('findings', () => {
  test('what stands is on top and open, with evidence drawn before and since', async () => {
    const list = [makeFinding(7), ...past(3)];
    const { page, machine, complaints, close } = await openFindings(list);
    await drawn(page, 7);
    assert.equal(await isOpen(page, 7), true);
    const text = await textOf(card(page, 7));
    for (const wanted of [/warning/, /core 3/, /since \d\d:\d\d:\d\d/, /5 min/,
      /packet load of core 3 97 %/, /All interrupts of eth0 fire on core 3/,
      /medium confidence: the effect is certain/, /four cores share the load/,
      /until the next reboot/])
      assert.match(text, wanted);
    const row = card(page, 7).locator('.phases tbody tr').first();
    assert.match(await textOf(row), /^core 3 15 % 97 %$/);
    await until('charts', async () => await card(page, 7).locator('canvas').count() === 2);
    const load = machine.series.find((q) => q.get('metric') === 'core_packet_load_ratio');
    assert.ok(Number(load.get('after')) * 1000 <= list[0].raised_ms - 60000);
    assert.deepEqual((await shownIds(page))[0], 7);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('why not the others is there to open, with the reason', async () => {
    const { page, close } = await openFindings([makeFinding(7)]);
    const others = card(page, 7).locator('.not-others');
    await others.locator('summary').click();
    assert.match(await textOf(others), /One heavy flow: the busiest flow has 4 % of the packets/);
    await close();
  });

  test('a deep link opens its finding, in view and focused', async () => {
    const list = past(200);
    const id = list[90].id;
    const { page, complaints, close } = await openFindings(list, '#findings?id=' + id);
    await until('it being open', () => isOpen(page, id));
    await until('the focus on it', async () => await focusedId(page) === String(id));
    await drawn(page, id);
    await until('it being in view', () => toggle(page, id).evaluate((node) => {
      const { top, bottom } = node.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }));
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a link to one that is not kept any more says so', async () => {
    const { page, close } = await openFindings([makeFinding(7)], '#findings?id=3');
    await until('the note', async () =>
      /Finding 3 is not kept/.test(await page.textContent(ROOT)));
    await close();
  });

  test('the filter narrows the list, stands in the address and can be cleared', async () => {
    const list = [makeFinding(7), linkFinding(8), makeFinding(9, { severity: 'info',
      subject: { kind: 'interface', device: 'eth5' } })];
    const { page, complaints, close } = await openFindings(list);
    await until('all', async () => (await shownIds(page)).length === 3);
    const button = page.locator(`${ROOT} .severity`).filter({ hasText: 'warning' });
    assert.match(await textOf(button), /warning 1/);
    await button.click();
    assert.deepEqual(await shownIds(page), [7]);
    assert.equal(new URL(page.url()).hash, '#findings?severity=warn');
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    await page.locator(`${ROOT} select`).first().selectOption('eth2');
    assert.deepEqual(await shownIds(page), []);
    assert.match(await textOf(page.locator(ROOT)), /None of 3 findings match/);
    await page.getByRole('button', { name: 'Show all' }).click();
    assert.deepEqual(await shownIds(page), [8, 7, 9]);
    assert.equal(new URL(page.url()).hash, '#findings');
    await page.getByRole('searchbox').fill('cable');
    assert.deepEqual(await shownIds(page), [8]);
    await page.reload();
    await until('the same again', async () => (await shownIds(page)).join() === '8');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'cable');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('one raised while the page is open appears and is announced once', async () => {
    const { page, say, machine, complaints, close } = await openFindings([]);
    await say('tick', maps.tickOf(maps.piled()));
    await until('quiet', async () => /No findings\./.test(await page.textContent(ROOT)));
    await page.evaluate((root) => {
      window.spoken = [];
      new MutationObserver((list) => window.spoken.push(list[0].target.textContent))
        .observe(document.querySelector(root + ' > [role=status]'),
          { childList: true, characterData: true, subtree: true });
    }, ROOT);
    const raised = makeFinding(12, { raised_ms: Date.now() + 1000 });
    machine.findings = [raised];
    await say('finding', { finding: raised });
    await until('it being there', async () => (await shownIds(page)).join() === '12');
    await say('finding', { finding: { ...raised, message: 'Still so.' } });
    await until('what is new of it', async () => /Still so/.test(await textOf(card(page, 12))));
    assert.deepEqual(await page.evaluate(() => window.spoken),
      ['New warning: One core does the packet work, core 3']);
    const cleared = { ...raised, cleared_ms: Date.now() + 2000 };
    machine.findings = [cleared];
    await say('finding', { finding: cleared });
    await until('it being past', async () => await page.locator(`${ROOT} .day .card`).count() === 1
      && /Nothing stands/.test(await page.textContent(ROOT)));
    assert.equal(await isOpen(page, 12), true, 'what is read stays open');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('the keyboard opens and closes a finding and keeps its place', async () => {
    const list = past(4);
    const { page, close } = await openFindings(list);
    const [first, second] = await until('the lines', async () => {
      const ids = await shownIds(page);
      return ids.length >= 2 && ids;
    });
    await toggle(page, first).focus();
    await page.keyboard.press('Enter');
    assert.equal(await isOpen(page, first), true);
    assert.equal(new URL(page.url()).hash, '#findings?id=' + first);
    assert.equal(await focusedId(page), String(first));
    await drawn(page, first);
    await page.keyboard.press('Space');
    assert.equal(await isOpen(page, first), false);
    assert.equal(new URL(page.url()).hash, '#findings');
    await page.keyboard.press('Tab');
    assert.equal(await focusedId(page), String(second), 'what is closed has no stops');
    await close();
  });

  test('500 of them are a short list, and nothing is asked of history for what is closed',
    async () => {
      const { page, machine, complaints, close } = await openFindings(past(500));
      await until('days', async () => await page.locator(`${ROOT} .day`).count() > 40);
      assert.ok((await shownIds(page)).length <= 50);
      assert.deepEqual(machine.series, []);
      const day = page.locator(`${ROOT} .day`).nth(5);
      await day.locator('> summary').click();
      await until('its lines', async () => await day.locator('.card').count() > 0);
      await day.locator('.card-toggle').first().click();
      await until('charts', async () => await day.locator('canvas').count() === 2);
      assert.match(await textOf(day.locator('.phases thead').first()), /before during after/);
      await day.locator('> summary').click();
      await until('no charts', async () => await page.locator(`${ROOT} canvas`).count() === 0);
      assert.deepEqual(complaints, []);
      await close();
    });

  test('history that is not kept any more, or refused, is said to be', async () => {
    const { page, close } = await openFindings([makeFinding(7)], '#findings',
      { history: () => ({ time_ms: [], series: [], resolution_ms: 1000 }) });
    await until('the note', async () => /No history of this time is kept/.test(
      await textOf(card(page, 7))));
    assert.match(await textOf(card(page, 7)), /packet load of core 3 97 %/);
    await page.route('**/api/v1/series?*', (route) => route.fulfill(
      { status: 503, json: { detail: 'the history cannot be read' } }));
    await page.reload();
    await until('the reason', async () =>
      /could not be fetched: the history cannot be read/.test(await textOf(card(page, 7))));
    await close();
  });

  test('without the chart library the figures are there', async () => {
    const { page, close } = await openFindings([makeFinding(7)], '#findings',
      { broken: new Set(['chart']) });
    await drawn(page, 7);
    assert.match(await textOf(card(page, 7)), /This build of the daemon has no charts/);
    assert.match(await textOf(card(page, 7).locator('.phases').first()), /core 3 15 % 97 %/);
    assert.equal(await card(page, 7).locator('canvas').count(), 0);
    await close();
  });

  test('a chart library that is out of reach is not missing, and comes later', async () => {
    const [f] = past(1);
    const { page, close } = await openFindings([f], '#findings?id=' + f.id);
    let library = (route) => route.fulfill({ status: 503, body: '' });
    await page.route('**/uplot/uPlot.js*', (route) => library(route));
    await page.reload();
    const says = (words) => until('the words ' + words, async () =>
      words.test(await textOf(card(page, f.id).locator('.drawing-note'))));
    await says(/^The charts could not be fetched: .*503.* The means of each time stand above/);
    library = (route) => route.abort();
    await card(page, f.id).getByRole('button', { name: 'Try again' }).click();
    await says(/^The charts could not be fetched: the daemon does not answer/);
    library = (route) => route.continue();
    await card(page, f.id).getByRole('button', { name: 'Try again' }).click();
    await until('charts', async () => await card(page, f.id).locator('canvas').count() === 2);
    await close();
  });

  test('a peak that the mean hides is in the band, and it is said what the shade is', async () => {
    const list = [makeFinding(7)];
    const history = (url) => {
      const answer = seriesOf(url, { from: 0, to: 0 });
      const q = url.searchParams;
      const peak = q.get('aggregate') === 'max' ? 0.99 : q.get('aggregate') === 'min' ? 0.01 : null;
      return { ...answer, resolution_ms: 60000, series: answer.series
        .filter(({ labels }) => !q.has('cpu') || q.getAll('cpu').includes(labels.cpu))
        .map((one) => ({ ...one, values: one.values.map((v) => peak ?? v) })) };
    };
    const { page, machine, complaints, close } = await openFindings(list, '#findings', { history });
    await until('charts', async () => await card(page, 7).locator('canvas').count() === 2);
    await card(page, 7).locator('.chart-view').first().focus();
    await page.keyboard.press('End');
    const bands = () => card(page, 7).locator('.chart-keys').first().locator('.chart-band')
      .allTextContents();
    assert.deepEqual((await bands()).map(plain), ['1 % to 99 %', '', '', '']);
    await until('the words', async () => await textOf(card(page, 7).locator('.drawing-note'))
      === '1 min averages, shaded from least to most.');
    const edges = machine.series.filter((q) => q.get('aggregate') !== 'avg'
      && q.get('metric') === 'core_packet_load_ratio');
    assert.ok(edges.length > 0 && edges.every((q) => q.getAll('cpu').join() === '3'),
      'only of the core that stands out');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a list that is refused is said to be, and can be asked for again', async () => {
    const broken = new Set(['findings']);
    const { page, close } = await openFindings([makeFinding(7)], '#findings', { broken });
    await until('the reason', async () =>
      /Findings could not be fetched: too many questions/.test(await textOf(page.locator(ROOT))));
    broken.delete('findings');
    await page.locator(ROOT).getByRole('button', { name: 'Try again' }).click();
    await until('it', async () => (await shownIds(page)).join() === '7');
    await close();
  });

  test('the first page leads to a finding, and a finding to its history', async () => {
    const { page, complaints, close } = await openFindings([makeFinding(7)], '#now');
    await page.getByRole('link', { name: /^Over time/ }).click();
    await until('it', () => isOpen(page, 7));
    await until('the focus on it', async () => await focusedId(page) === '7');
    await card(page, 7).locator('.card-history').click();
    await until('its history', async () => await page.locator('#page-history h2').isVisible());
    assert.match(new URL(page.url()).hash, /^#history\?from=\d+&to=\d+&chart=core_packet_load/);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('it fits a phone, and asks for what comes into view', async () => {
    const list = [makeFinding(7), linkFinding(8), ...past(5)];
    const { page, machine, close } = await openFindings(list, '#findings',
      { viewport: { width: 360, height: 800 } });
    await drawn(page, 8);
    assert.ok(!machine.series.some((q) => q.get('metric') === 'core_packet_load_ratio'));
    await toggle(page, 7).scrollIntoViewIfNeeded();
    await drawn(page, 7);
    const widths = await page.evaluate(() =>
      [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(widths[0] <= widths[1], `${widths[0]} px in a window of ${widths[1]}`);
    await close();
  });
});
