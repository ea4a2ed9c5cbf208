/* SPDX-License-Identifier: ISC */
/*
 * The page of history as Chromium shows it. Stored values are given by the test where a
 * machine with a past is needed; the rest is a ringsided that watches this one.
 * RINGSIDED and CHROMIUM name the programs (run.sh).
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { api, close as closeAll, open, openPage, until } from './support.mjs';

const NOW = Math.floor(Date.now() / 60000) * 60000;
const HOUR = 3600000;
const RANGE = { from: NOW - 2 * HOUR, to: NOW - HOUR };
const LOAD = 'core_packet_load_ratio';
/* As history/address.js has them. */
const [CHARTS_MAX, LINES_MAX] = [12, 8];
const OFFSET = { avg: 0, min: -0.05, max: 0.05 };

before(open);
after(closeAll);

const hashOf = ({ range = RANGE, charts = [LOAD] } = {}) => '#history?' + new URLSearchParams([
  ...Object.entries(range), ...charts.map((chart) => ['chart', chart])]);

/* Core n has a load of (n + 1) / (cores + 1); nothing was measured in the third
 * quarter of the range. */
function stored(url, cores) {
  const of = (name) => url.searchParams.get(name);
  const [from, to] = [of('after'), of('before')].map((s) => Number(s) * 1000);
  const step = Math.max(1000, Math.ceil((to - from) / Number(of('points')) / 1000) * 1000);
  const times = [];
  for (let t = Math.ceil((from + 1) / step) * step; t <= to; t += step)
    times.push(t);
  const isGap = (t) => t > from + (to - from) / 2 && t <= from + (to - from) * 3 / 4;
  const chosen = url.searchParams.getAll('cpu');
  const series = Array.from({ length: cores }, (_, n) => String(n))
    .filter((cpu) => chosen.length === 0 || chosen.includes(cpu))
    .map((cpu) => ({ labels: { cpu }, values: times.map((t) => isGap(t) ? null
      : (Number(cpu) + 1) / (cores + 1) + OFFSET[of('aggregate')]) }));
  return { metric: of('metric'), unit: 'ratio', tier: 'raw', resolution_ms: step, time_ms: times,
    series };
}

/* A page on a machine with a past: cores, and answers by path in place of the usual,
 * which the test may change; null is no answer, undefined that of the daemon. */
async function openHistory({ cores = 2, hash = hashOf(), answers = {}, ...options } = {}) {
  const asked = [];
  const usual = {
    series: (url) => ({ json: stored(url, cores) }),
    catalog: () => ({ json: ['core_packet_load_ratio', 'core_busy_ratio'].flatMap((metric) =>
      Array.from({ length: cores }, (_, cpu) => ({ metric, labels: { cpu: String(cpu) },
        unit: 'ratio', kind: 'gauge', first_ms: RANGE.from, last_ms: RANGE.to }))) }),
    findings: () => ({ json: [] }), changes: () => ({ json: [] }),
  };
  const opened = await openPage(options, async (page) => {
    for (const name of Object.keys({ ...usual, ...answers })) {
      await page.route((url) => url.pathname.endsWith('/' + name), (route) => {
        const url = new URL(route.request().url());
        asked.push(url);
        const answer = (answers[name] ?? usual[name])(url);
        if (answer === undefined)
          return route.continue();
        return answer === null ? route.abort() : route.fulfill(answer);
      });
    }
  }, '/' + hash);
  return { ...opened, asked,
    series: () => asked.filter((url) => url.pathname.endsWith('/series')
      && url.searchParams.get('points') !== null && url.searchParams.has('before')) };
}

const parameters = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);
const view = (page, n = 0) => page.locator('.chart-view').nth(n);
const rangeOf = async (page, n = 0) => ({
  from: Number(await view(page, n).getAttribute('data-from')),
  to: Number(await view(page, n).getAttribute('data-to')) });

async function drawn(page, charts = 1) {
  await until('charts with values', async () => {
    const points = await page.locator('.chart-view').evaluateAll((all) =>
      all.map((one) => Number(one.dataset.points ?? 0)));
    return points.length === charts && points.every((n) => n > 10);
  });
}

/* Drags over a chart, from and to as shares of its plot. */
async function drag(page, from, to, key = null) {
  const box = await page.locator('.u-over').first().boundingBox();
  const x = (share) => box.x + share * box.width;
  if (key !== null)
    await page.keyboard.down(key);
  await page.mouse.move(x(from), box.y + 40);
  await page.mouse.down();
  await page.mouse.move(x((from + to) / 2), box.y + 42, { steps: 4 });
  await page.mouse.move(x(to), box.y + 44, { steps: 4 });
  await page.mouse.up();
  if (key !== null)
    await page.keyboard.up(key);
}

/* What the page says above the charts. */
const noteOf = (page) => page.locator('#page-history > .note');
const says = (page, words) => until('the words ' + words, async () =>
  words.test(await noteOf(page).textContent()));

const near = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

describe('history', () => {
  test('a deep link shows the same view: range, charts, band and resolution', async () => {
    const { page, complaints, series, close } = await openHistory(
      { hash: hashOf({ charts: [LOAD, 'core_busy_ratio,cpu=1'] }) });
    await drawn(page, 2);
    assert.deepEqual(await page.locator('.history-title').allTextContents(),
      ['Packet load', 'Busy: core 1']);
    assert.deepEqual(await rangeOf(page, 1), RANGE);
    assert.deepEqual(parameters(page).getAll('chart'), [LOAD, 'core_busy_ratio,cpu=1']);
    const first = series()[0].searchParams;
    assert.deepEqual([Number(first.get('after')) * 1000, Number(first.get('before')) * 1000],
      [RANGE.from, RANGE.to]);
    /* The band is least and most of each step. */
    await until('the band being asked for', async () => ['min', 'max'].every((aggregate) =>
      series().some((url) => url.searchParams.get('aggregate') === aggregate)));
    await until('the band in the legend', async () =>
      /28.%.to 38.%/.test(await page.locator('.chart-band').first().textContent()));
    assert.match(await page.locator('.history-note').first().textContent(),
      /averages, band: least to most/);
    assert.equal(await page.locator('.history-follow').getAttribute('aria-pressed'), 'false');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a drag zooms all charts, and the address follows', async () => {
    const { page, complaints, close } = await openHistory(
      { hash: hashOf({ charts: [LOAD, 'core_busy_ratio'] }) });
    await drawn(page, 2);
    await drag(page, 0.25, 0.5);
    await until('a narrower range', async () => (await rangeOf(page)).from > RANGE.from);
    const range = await rangeOf(page);
    assert.ok(near(range.from, RANGE.from + HOUR / 4, HOUR / 50), 'begins where the drag did');
    assert.ok(near(range.to, RANGE.from + HOUR / 2, HOUR / 50), 'ends where the drag did');
    assert.deepEqual(await rangeOf(page, 1), range);
    assert.deepEqual(['from', 'to'].map((name) => Number(parameters(page).get(name))),
      [range.from, range.to]);
    await page.getByRole('button', { name: 'The last 6 h' }).click();
    assert.equal(parameters(page).get('last'), '21600');
    assert.equal(await page.locator('.history-follow').getAttribute('aria-pressed'), 'true');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('shift and drag pans, buttons step, the wheel scrolls the page', async () => {
    const { page, complaints, close } = await openHistory(
      { viewport: { width: 900, height: 420 } });
    await drawn(page);
    await drag(page, 0.5, 0.75, 'Shift');
    await until('an earlier range', async () => (await rangeOf(page)).from < RANGE.from);
    const panned = await rangeOf(page);
    assert.ok(near(panned.to - panned.from, HOUR, 10), 'as long as before');
    assert.ok(near(panned.from, RANGE.from - HOUR / 4, HOUR / 50));
    await page.getByRole('button', { name: 'Later' }).click();
    assert.ok(near((await rangeOf(page)).from, panned.from + HOUR / 2, 10));
    const before = page.url();
    const box = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move(box.x + 100, box.y + 30);
    await page.mouse.wheel(0, 120);
    await until('the page being scrolled', () => page.evaluate(() => scrollY > 0));
    assert.equal(page.url(), before);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('the keyboard reads values, moves and zooms, and charts share the crosshair', async () => {
    const { page, complaints, close } = await openHistory(
      { hash: hashOf({ charts: [LOAD, 'core_busy_ratio'] }) });
    await drawn(page, 2);
    const times = () => page.locator('.chart-time').allTextContents();
    assert.match((await times())[0], /latest/);
    await view(page).focus();
    await page.keyboard.press('Home');
    const [first, other] = await times();
    assert.doesNotMatch(first, /latest/);
    assert.equal(other, first);
    assert.match(await page.locator('.chart output').first().textContent(), /core 0 33.%/);
    await page.keyboard.press('ArrowRight');
    assert.notEqual((await times())[0], first);
    await page.keyboard.press('Shift+ArrowLeft');
    await until('an earlier range', async () =>
      (await rangeOf(page)).from === RANGE.from - HOUR / 4);
    await page.keyboard.press('+');
    await until('half of it', async () => {
      const { from, to } = await rangeOf(page, 1);
      return to - from === HOUR / 2;
    });
    assert.deepEqual(complaints, []);
    await close();
  });

  test('a gap is a gap: no line crosses it and nothing is read in it', async () => {
    const { page, close } = await openHistory();
    await drawn(page);
    /* Pixels of the colour of a line by share of the plot. */
    const colored = (from, to) => page.evaluate(async ([a, b]) => {
      const canvas = document.querySelector('.chart-view canvas');
      const [plot, own] = [document.querySelector('.u-over'), canvas]
        .map((node) => node.getBoundingClientRect());
      const probe = document.createElement('canvas').getContext('2d');
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--series-2');
      probe.fillRect(0, 0, 1, 1);
      const [r, g, blue] = probe.getImageData(0, 0, 1, 1).data;
      const scale = canvas.width / own.width;
      const left = (plot.left - own.left + a * plot.width) * scale;
      const { data } = canvas.getContext('2d').getImageData(left, (plot.top - own.top) * scale,
        (b - a) * plot.width * scale, plot.height * scale);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) {
        n += data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g)
          + Math.abs(data[i + 2] - blue) < 60;
      }
      return n;
    }, [from, to]);
    await until('a line', async () => await colored(0.1, 0.4) > 20);
    assert.equal(await colored(0.53, 0.72), 0);
    assert.ok(await colored(0.8, 0.95) > 20, 'it goes on after the gap');
    const box = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 30);
    await until('no value', async () =>
      (await page.locator('.chart-value').allTextContents()).every((t) => t === '\u2014'));
    await close();
  });

  test('another metric is found by its words and drawn, alone or with others', async () => {
    const { page, complaints, close } = await openHistory();
    await drawn(page);
    await page.getByText('Add a chart or a line').click();
    await page.getByLabel('Search metrics').fill('busy');
    assert.deepEqual(await page.locator('.picker option[title]').allTextContents(), ['Busy']);
    await page.locator('.picker fieldset').getByLabel('1').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await drawn(page, 2);
    assert.equal(parameters(page).getAll('chart')[1], 'core_busy_ratio,cpu=1');
    await page.getByLabel('Where to draw it').selectOption({ label: 'into: Packet load' });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await until('a line more', async () =>
      await page.locator('.history-chart').first().locator('.chart-key').count() === 3);
    await page.getByRole('button', { name: 'Remove the chart Busy: core 1' }).click();
    await drawn(page);
    assert.deepEqual(parameters(page).getAll('chart'), [LOAD + ';core_busy_ratio,cpu=1']);
    assert.deepEqual(complaints, []);
    await close();
  });

  test('of many cores the highest are drawn, or all as two lines', async () => {
    const { page, complaints, close } = await openHistory({ cores: 64 });
    await drawn(page);
    assert.equal(await page.locator('.chart-key').count(), 12);
    assert.match(await page.locator('.history-note').textContent(),
      /12 of 64 shown, highest first/);
    const fold = page.getByRole('button', { name: 'Highest and mean only' });
    await fold.click();
    await until('two lines', async () => await page.locator('.chart-key').count() === 2);
    assert.match(await page.locator('.chart-label').first().textContent(), /highest of 64/);
    assert.equal(parameters(page).get('fold'), '0');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('findings and changed settings are marks that are listed and lead to their time',
    async () => {
      const at = RANGE.from + HOUR / 4;
      const { page, asked, complaints, close } = await openHistory({ answers: {
        findings: () => ({ json: [{ id: 1, code: 'core.imbalance', title: 'One core does it all',
          severity: 'warn', subject: { kind: 'core', core: 1 }, raised_ms: at,
          cleared_ms: at + 60000, evidence: [], causes: [], advice: [] }] }),
        changes: () => ({ json: [{ id: 1, at_ms: at + 120000, kind: 'mtu',
          subject: { device: 'eth0' }, old: '1500', new: '9000' }] }),
      } });
      await drawn(page);
      await page.getByText('In this range: 1 finding, 1 setting changed').click();
      const of = (name) => asked.filter((url) => url.pathname.endsWith('/' + name)
        && url.searchParams.get('limit') !== null).map((url) => url.searchParams);
      assert.deepEqual(of('changes').map((q) => [q.get('after'), q.get('before'), q.get('limit')]),
        [[String(RANGE.from / 1000), String(RANGE.to / 1000), '1000']], 'of the range, once');
      assert.deepEqual((await page.locator('.history-event-label').allTextContents())
        .map((t) => t.split(':')[0]), ['One core does it all, core 1', 'eth0']);
      const box = await page.locator('.u-over').first().boundingBox();
      await page.mouse.move(box.x + box.width / 4, box.y + 30);
      await until('the mark being read', async () =>
        /One core does it all/.test(await page.locator('.chart-marks').first().textContent()));
      await page.getByRole('button', { name: 'Show the time of One core' }).press('Enter');
      await until('its time', async () => {
        const { from, to } = await rangeOf(page);
        return from < at && to > at + 60000 && to - from <= 10 * 60000;
      });
      assert.deepEqual(complaints, []);
      await close();
    });

  test('what is refused, empty or out of reach is said', async () => {
    let answer = () => ({ status: 413, contentType: 'application/problem+json',
      json: { detail: 'the answer would be too large' } });
    const { page, close } = await openHistory({ answers: { series: (url) => answer(url),
      health: () => ({ json: { tick_cpu_us: 300, sources: [], rules_not_evaluated: [],
        store: { state: 'ok', oldest_ms: RANGE.from } } }) } });
    const state = page.locator('.history-state').first();
    const says = (words) => until('the words ' + words, async () =>
      words.test(await state.textContent()));
    await says(/^Refused: the answer would be too large\.$/);
    answer = (url) => ({ json: { ...stored(url, 2), time_ms: [], series: [] } });
    await page.getByRole('button', { name: 'Earlier' }).click();
    await says(/No values in this range\. What is stored begins .*\d\d:\d\d/);
    answer = (url) => ({ json: stored(url, 2) });
    await page.getByRole('button', { name: 'Later' }).click();
    await drawn(page);
    answer = () => null;
    await page.getByRole('button', { name: 'Earlier' }).click();
    await says(/does not answer\. What is drawn is from before/);
    assert.ok(await page.locator('.chart').first().isVisible(), 'what is drawn stays');
    await close();
  });

  test('without uPlot the page says so, and the values are there as CSV', async () => {
    const { page, close } = await openHistory({ answers: { 'uPlot.js': () => ({ status: 404 }) } });
    await says(page, /has no charts/);
    await until('the chart saying so', async () =>
      /has no charts/.test(await page.locator('.history-state').textContent()));
    assert.ok(await page.locator('.history-links a').count() > 0);
    await close();
  });

  test('uPlot that is refused or out of reach is not missing, and comes later', async () => {
    const answers = { 'uPlot.js': () => ({ status: 503 }) };
    const { page, close } = await openHistory({ answers });
    await says(page, /^The charts could not be fetched: .*503/);
    answers['uPlot.js'] = () => null;
    await says(page, /^The charts could not be fetched: the daemon does not answer\.$/);
    assert.match(await page.locator('.history-state').textContent(), /does not answer/);
    answers['uPlot.js'] = () => undefined;
    await drawn(page);
    await says(page, /^(History is in memory only.*)?$/);
    assert.equal(await page.locator('.history-state').textContent(), '');
    await close();
  });

  test('a catalog that was not had takes no chart with it, and its note goes', async () => {
    const answers = { catalog: () => null };
    const { page, close } = await openHistory({ answers });
    await drawn(page);
    await says(page, /^What there is could not be asked: the daemon does not answer\.$/);
    answers.catalog = () => ({ status: 503, json: { detail: 'too many questions at once' } });
    await says(page, /could not be asked: too many questions at once\.$/);
    answers.catalog = undefined;
    await says(page, /^(History is in memory only.*)?$/);
    assert.ok(await page.locator('.picker option[title]').count() > 0);
    await close();
  });

  test('a daemon that has just begun is asked again what there is', async () => {
    const answers = { catalog: () => ({ json: [] }) };
    const { page, close } = await openHistory({ hash: '#history', answers });
    await says(page, /^There are no values yet\.$/);
    answers.catalog = undefined;
    await drawn(page);
    await says(page, /^(History is in memory only.*)?$/);
    await close();
  });

  test('what failed for a range that does not move is asked for again', async () => {
    const answers = { series: () => null, findings: () => null };
    const { page, close } = await openHistory({ answers });
    await until('the words', async () =>
      /^The daemon does not answer\.$/.test(await page.locator('.history-state').textContent()));
    await until('those of the marks', async () =>
      /not available: the daemon does not answer/.test(await page.textContent('.history-marks')));
    answers.series = undefined;
    answers.findings = undefined;
    await drawn(page);
    await until('the marks', async () =>
      /In this range: 0 findings/.test(await page.textContent('.history-marks')));
    await close();
  });

  test('a line that is refused is named with the reason, the others are drawn', async () => {
    const { page, close } = await openHistory({
      hash: hashOf({ charts: ['core_busy_ratio,cpu=1;' + LOAD] }),
      answers: { series: (url) => url.searchParams.get('metric') === LOAD
        ? { json: stored(url, 2) }
        : { status: 404, json: { detail: "no metric is named 'core_busy_ratio'" } } } });
    await drawn(page);
    assert.match(await page.locator('.history-note').textContent(),
      /Busy: core 1 is not drawn: no metric is named 'core_busy_ratio'/);
    assert.equal(await page.locator('.chart-key').count(), 2);
    await close();
  });

  test('means are drawn when their band is refused, and it is said', async () => {
    const { page, close } = await openHistory({ answers: {
      series: (url) => url.searchParams.get('aggregate') === 'avg' ? { json: stored(url, 2) }
        : { status: 413, json: { detail: 'the answer would be too large' } } } });
    await until('the words', async () => /the band could not be had: the answer would be too large/
      .test(await page.locator('.history-note').textContent()));
    await drawn(page);
    await close();
  });

  test('the focus stays on a CSV link as time goes on, and on what folds a chart', async () => {
    const { page, complaints, close } = await openHistory(
      { cores: 4, hash: hashOf({ range: { last: 900 } }) });
    await drawn(page);
    await page.locator('.history-csv summary').click();
    const link = page.locator('.history-links a').first();
    await link.focus();
    const before = await link.getAttribute('href');
    await until('a later range', async () => await link.getAttribute('href') !== before);
    assert.ok(await link.evaluate((node) => node === document.activeElement));
    await page.keyboard.press('Escape');
    const fold = page.getByRole('button', { name: 'Highest and mean only' });
    await fold.press('Enter');
    await until('two lines', async () => await page.locator('.chart-key').count() === 2);
    assert.ok(await fold.evaluate((node) => node === document.activeElement));
    assert.equal(await fold.getAttribute('aria-pressed'), 'true');
    assert.deepEqual(complaints, []);
    await close();
  });

  test('exact times are taken as they are, and refused in words', async () => {
    const { page, close } = await openHistory();
    await drawn(page);
    await page.getByText('Exact times').click();
    const fill = async (name, ms) => {
      const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60000);
      await page.getByLabel(name, { exact: true }).fill(local.toISOString().slice(0, 19)
        .replace(/:00$/, ''));
    };
    const show = () => page.getByRole('button', { name: 'Show', exact: true }).click();
    await fill('To', RANGE.from - HOUR);
    await show();
    await until('the reason', async () =>
      await page.locator('.history-refusal').textContent() === 'The end must be after the start.');
    assert.deepEqual(await rangeOf(page), RANGE, 'nothing moved');
    await fill('To', NOW + HOUR);
    await show();
    await until('all up to now', async () => (await rangeOf(page)).to >= NOW - 60000);
    const { from, to } = await rangeOf(page);
    assert.equal(from, RANGE.from);
    assert.ok(to < NOW + HOUR);
    assert.equal(await page.locator('.history-refusal').isVisible(), false);
    await close();
  });

  test('no more is added than an address holds, and the page says so', async () => {
    const { page, close } = await openHistory({ viewport: { width: 360, height: 800 },
      hash: hashOf({ charts: [
        Array.from({ length: LINES_MAX }, (_, n) => LOAD + ',cpu=' + n).join(';'),
        ...Array.from({ length: CHARTS_MAX - 2 }, (_, n) => 'core_interrupts,cpu=' + n)] }) });
    await page.getByText('Add a chart or a line').click();
    const option = (text) => page.locator('.picker-where option').filter({ hasText: text });
    const add = page.getByRole('button', { name: 'Add', exact: true });
    await until('the full one', async () => /has 8 lines, the most/.test(
      await option('into: ').textContent()));
    assert.equal(await option('into: ').isDisabled(), true);
    assert.equal(await option('as a chart of its own').isDisabled(), false);
    await add.click();
    await until('the last chart', async () =>
      await page.locator('.history-chart').count() === CHARTS_MAX);
    assert.equal(parameters(page).getAll('chart').length, CHARTS_MAX);
    await until('the reason', async () => /There are 12 charts/.test(
      await page.locator('.picker-where [role=status]').textContent()));
    assert.equal(await option('as a chart of its own').isDisabled(), true);
    assert.ok(await page.locator('.picker-where').evaluate((node) =>
      node.getBoundingClientRect().right <= innerWidth), 'long words do not widen it');
    assert.equal(await add.isDisabled(), false, 'the new one has room for a line');
    await page.getByRole('button', { name: /^Remove the chart/ }).last().click();
    await until('room', async () =>
      await option('as a chart of its own').isDisabled() === false);
    await close();
  });

  test('a list of findings that was cut is said to be', async () => {
    const of = (n) => Array.from({ length: n }, (_, i) => ({ id: n - i, code: 'core.imbalance',
      title: 'One core does it all', severity: 'warn', subject: { kind: 'core', core: 1 },
      raised_ms: RANGE.to - (i + 1) * 1000, cleared_ms: RANGE.to - i * 1000, evidence: [],
      causes: [], advice: [] }));
    const answers = { findings: () => ({ json: of(1000) }) };
    const { page, close } = await openHistory({ answers });
    const summary = page.locator('.history-marks summary');
    await until('at least', async () => /at least 1000 findings, 0 settings/.test(
      await summary.textContent()));
    assert.match(await page.locator('.history-cut').textContent(),
      /^Findings before .*\d\d:\d\d are not marked: only the latest 1000 can be asked for\.$/);
    answers.findings = () => ({ json: of(999) });
    await page.reload();
    await until('all', async () => /range: 999 findings/.test(await summary.textContent()));
    assert.equal(await page.locator('.history-cut').isVisible(), false);
    await close();
  });

  test('on a live machine the first view follows now, and CSV is what is seen', async () => {
    const { page, complaints, close } = await openPage({ viewport: { width: 360, height: 800 } });
    await until('values to draw', async () =>
      (await api('series?metric=' + LOAD + '&after=-60')).time_ms.length > 12);
    await page.getByRole('link', { name: 'History' }).click();
    await until('the first view', async () => await page.locator('.chart-view').count() >= 2);
    assert.equal(await page.locator('.history-title').first().textContent(), 'Packet load');
    const { to } = await rangeOf(page);
    await until('the range having moved', async () => (await rangeOf(page)).to > to);
    const wide = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, 'nothing is wider than the screen');
    const link = page.locator('.history-links a').first();
    assert.notEqual(await link.getAttribute('download'), null);
    const csv = await fetch(await link.getAttribute('href'));
    assert.equal(csv.status, 200);
    assert.match(csv.headers.get('content-type'), /text\/csv/);
    assert.match(await csv.text(), /cpu/);
    assert.match(await page.locator('.note').filter({ hasText: 'memory only' }).textContent(),
      /ends with the daemon/);
    assert.deepEqual(complaints, []);
    await close();
  });
});
