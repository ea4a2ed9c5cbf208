/* SPDX-License-Identifier: ISC */
/*
 * The page of history without a page: its address, what can be chosen, what is asked
 * and what is made of the answers, and the texts of axes.
 */

import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

/* A browser takes any module for one; node wants to be told, beside the files. */
const dir = await mkdtemp(join(tmpdir(), 'ringside-app-'));
after(() => rm(dir, { recursive: true }));
await cp(fileURLToPath(new URL('../../web/app', import.meta.url)), dir, { recursive: true });
await writeFile(join(dir, 'package.json'), '{"type":"module"}');
const load = (name) => import(pathToFileURL(join(dir, name)));

const address = await load('history/address.js');
const catalog = await load('history/catalog.js');
const query = await load('history/query.js');
const { CHANGES_MAX, changesCutAt, findingsCutAt, marksOf } = await load('history/events.js');
const { isolated, nearest, stepOf, valueRange } = await load('chart/shape.js');
const { panned, zoomed } = await load('chart/pointer.js');
const { axisTexts, timeTexts, instant } = await load('format.js');
const { addressOf, parseAddress } = await load('router.js');
const plain = (text) => text.replaceAll('\u00a0', ' ');

test('what the page shows comes back from its address as it was', () => {
  for (const range of [{ last: 3600 }, { from: 1700000000123, to: 1700003600000 }]) {
    const state = { range, charts: [
      { lines: [{ metric: 'core_packet_load_ratio', labels: {} }], isFolded: false },
      { lines: [{ metric: 'interface_bytes', labels: { device: ['eth0', 'br-lan.2'],
        direction: ['rx'] } }, { metric: 'queue_bytes', labels: { queue: ['0'] } }],
      isFolded: true },
    ] };
    const { page, parameters } = parseAddress(addressOf('history',
      address.stateParameters(state)));
    assert.equal(page, 'history');
    assert.deepEqual(address.parseState(parameters), state);
  }
});

test('an address that is wrong shows the first view, one without charts shows none', () => {
  const parse = (text) => address.parseState(new URLSearchParams(text));
  const first = { range: { last: address.DEFAULT_LAST_S }, charts: null };
  assert.deepEqual(parse(''), first);
  for (const wrong of ['last=no', 'last=1', 'last=1e12', 'from=5&to=3', 'from=1&to=1e15', 'to=9',
    'last='])
    assert.deepEqual(parse(wrong).range, first.range, wrong);
  assert.deepEqual(parse('chart=').charts, []);
  assert.deepEqual(parse('chart=Bad%20name;core_busy_ratio,cpu').charts, []);
  assert.equal(parse('chart=a;;b').charts[0].lines.length, 2);
});

test('a range never ends after now and keeps its length', () => {
  assert.deepEqual(address.rangeWithin(1000000, 2000000, 5000000), { from: 1000000, to: 2000000 });
  assert.deepEqual(address.rangeWithin(4500000, 6500000, 5000000), { from: 3000000, to: 5000000 });
  const narrow = address.rangeWithin(1000000, 1000001, 5000000);
  assert.ok(narrow.to - narrow.from >= 5000, 'as short as makes sense');
  assert.deepEqual(address.spanOf({ last: 60 }, 100000), [40000, 100000]);
});

test('times that were typed stay, but for an end ahead of now', () => {
  const between = (from, to) => address.rangeBetween(from, to, 5000000);
  assert.deepEqual(between(1000000, 2000000), { from: 1000000, to: 2000000 });
  assert.deepEqual(between(4000000, 9000000), { from: 4000000, to: 5000000 });
  assert.match(between(2000000, 1000000), /after the start/);
  assert.match(between(2000000, 2000000), /after the start/);
  assert.match(between(6000000, 7000000), /ahead of now/);
  assert.match(between(4999000, 7000000), /at least 5 s long/);
  assert.match(between(-1e12, 2000000), /at most 10 years long/);
  assert.match(between(NaN, 2000000), /Both/);
});

const ENTRIES = [
  ...[0, 1, 2, 10].map((cpu) => ({ metric: 'core_packet_load_ratio', labels: { cpu: String(cpu) },
    unit: 'ratio', kind: 'gauge' })),
  ...['rx', 'tx'].flatMap((direction) => ['lo', 'eth0', 'eth1', 'br0'].map((device) =>
    ({ metric: 'interface_bytes', labels: { device, direction }, unit: 'bytes',
      kind: 'counter' }))),
  { metric: 'interface_missed_packets', labels: { device: 'eth0', direction: 'rx' },
    unit: 'packets', kind: 'counter' },
  { metric: 'some_new_thing', labels: {}, unit: '', kind: 'gauge' },
];

test('the catalog is told in plain words, with what can be chosen in order', () => {
  const metrics = catalog.metricsOf(ENTRIES);
  assert.equal([...metrics.keys()][0], 'core_packet_load_ratio');
  assert.deepEqual(metrics.get('core_packet_load_ratio').labels, { cpu: ['0', '1', '2', '10'] });
  assert.deepEqual(metrics.get('interface_bytes').labels.direction, ['rx', 'tx']);
  assert.equal(metrics.get('some_new_thing').words, 'some new thing');
  assert.equal(metrics.get('some_new_thing').group, 'Other');
  const found = (text) => catalog.search(metrics, text).map((m) => m.metric);
  assert.deepEqual(found('through'), ['interface_bytes']);
  assert.deepEqual(found('LOST packets missed'), ['interface_missed_packets']);
  assert.deepEqual(found('zebra'), []);
});

test('the first view has load, throughput of the physical interfaces, and losses', () => {
  const metrics = catalog.metricsOf(ENTRIES);
  const nic = (device, kind) => ({ device, kind });
  const charts = catalog.firstCharts(metrics,
    [nic('lo', 'loopback'), nic('eth0', 'physical'), nic('eth1', 'physical'),
      nic('br0', 'bridge')]);
  assert.deepEqual(charts.map((c) => c.lines.map(address.lineText).join(';')), [
    'core_packet_load_ratio', 'interface_bytes,device=eth0,device=eth1',
    'interface_missed_packets']);
  const [, virtual] = catalog.firstCharts(metrics,
    [nic('lo', 'loopback'), nic('br0', 'bridge')]);
  assert.deepEqual(virtual.lines[0].labels, { device: ['br0'] },
    'without physical ones, the others');
  assert.deepEqual(catalog.firstCharts(new Map(), []), []);
  assert.ok(charts.every((chart) => !chart.isFolded));
  const big = catalog.metricsOf(Array.from({ length: 64 }, (_, cpu) =>
    ({ metric: 'core_packet_load_ratio', labels: { cpu: String(cpu) }, unit: 'ratio',
      kind: 'gauge' })));
  assert.equal(catalog.firstCharts(big, [])[0].isFolded, true, '64 lines are mud');
});

test('series have names that one reads', () => {
  assert.equal(catalog.seriesWords({ cpu: '3' }), 'core 3');
  assert.equal(catalog.seriesWords({ device: 'eth0', direction: 'rx', queue: '2' }),
    'eth0 in queue 2');
  assert.equal(catalog.lineWords({ metric: 'core_busy_ratio', labels: { cpu: ['1', '2'] } }),
    'Busy: cores 1, 2');
});

test('a question names the range in seconds, the labels, points and the aggregate', () => {
  const asked = query.questionOf({ metric: 'm', labels: { cpu: ['1', '2'] } },
    [1700000000123, 1700003600000], 400, 'max');
  assert.deepEqual(asked, { metric: 'm', cpu: ['1', '2'], after: '1700000000.123',
    before: '1700003600.000', points: '400', aggregate: 'max' });
  assert.equal(query.pointsFor(1200), 600);
  assert.equal(query.pointsFor(10), 100);
  assert.equal(query.pointsFor(9000), 800);
});

const answer = (metric, unit, times, series) => ({ metric, unit, resolution_ms: 1000,
  time_ms: times, series: series.map(([labels, values]) => ({ labels, values })) });

test('bytes become bits, gaps stay gaps, times of another answer are no gap', () => {
  const { times, series, unit } = query.seriesOf([
    answer('a', 'bytes/s', [1000, 2000, 3000], [[{ device: 'x' }, [1, null, 3]]]),
    answer('b', 'bytes/s', [1500, 2500], [[{ device: 'x' }, [10, 20]]])]);
  assert.deepEqual(times, [1000, 1500, 2000, 2500, 3000]);
  assert.equal(unit, 'bit/s');
  assert.deepEqual(series.map((s) => s.values), [
    [undefined, 80, undefined, 160, undefined], [8, undefined, null, undefined, 24]]);
  assert.deepEqual(series.map((s) => s.label), ['x, b', 'x, a'], 'of two metrics both are named');
  assert.deepEqual(query.shownAs('seconds/s'), { unit: 'ratio', factor: 1 });
  assert.equal(query.drawnUnit({ unit: 'bytes', kind: 'counter' }), 'bit/s');
});

test('of many series the highest are drawn, in order, and zeros are counted', () => {
  const of = (n, valueOf) => query.seriesOf([answer('core_busy_ratio', 'ratio', [1000],
    Array.from({ length: n }, (_, i) => [{ cpu: String(i) }, [valueOf(i)]]))]).series;
  const many = query.choose(of(64, (i) => (i + 1) / 100));
  assert.equal(many.left, 64 - query.LINES_SHOWN);
  assert.deepEqual(many.shown.map((s) => s.label),
    Array.from({ length: query.LINES_SHOWN }, (_, i) => 'core ' + (52 + i)));
  const some = query.choose(of(6, (i) => i % 2));
  assert.deepEqual([some.shown.length, some.zero, some.left], [3, 3, 0]);
  const none = query.choose(of(6, () => 0));
  assert.deepEqual([none.shown.length, none.isDead], [1, true]);
  const [highest, mean] = query.folded(of(4, (i) => i), 1);
  assert.deepEqual([highest.values, mean.values], [[3], [1.5]]);
  assert.deepEqual(query.folded(of(4, () => null), 1)[0].values, [null]);
});

test('the resolution is said as it is', () => {
  assert.equal(plain(query.resolutionWords(1000, 1000)), '1 s samples');
  assert.equal(plain(query.resolutionWords(60000, 1000)), '1 min averages');
  assert.equal(plain(query.resolutionWords(54000000, 1000)), '15 h averages');
  assert.equal(plain(query.resolutionWords(90000, 1000)), '1 min 30 s averages');
  assert.equal(query.resolutionWords(0, 1000), '');
});

test('marks are the findings that stood and the settings that changed in the range', () => {
  const finding = (id, raised_ms, cleared_ms) => ({ id, raised_ms, cleared_ms, severity: 'warn',
    title: 'T' + id, subject: { kind: 'core', core: 1 } });
  const change = (id, at_ms) => ({ id, at_ms, kind: 'mtu', subject: { device: 'eth0' },
    old: '1500', new: '9000' });
  const marks = marksOf([finding(1, 100, 200), finding(2, 900, null), finding(3, 5000, null),
    finding(4, 100, 1500)], [change(1, 1200), change(2, 50)], [1000, 2000]);
  assert.deepEqual(marks.map((m) => [m.key, m.atMs, m.toMs]), [
    ['finding 4', 100, 1500], ['finding 2', 900, 2000], ['change 1', 1200, null]]);
  assert.equal(marks[0].label, 'T4, core 1');
  assert.match(marks[2].label, /eth0: .*MTU.* 1500 \u2192 9000/);
});

test('lists as long as the daemon tells are cut at their oldest', () => {
  const findings = (n) => Array.from({ length: n }, (_, i) =>
    ({ raised_ms: 5000 - i, cleared_ms: i === 0 ? null : 6000 }));
  assert.equal(findingsCutAt(findings(999)), null);
  assert.equal(findingsCutAt(findings(1000)), 4001);
  assert.equal(findingsCutAt([{ raised_ms: 1, cleared_ms: null }, ...findings(1000)]), 4001,
    'what stands is told however old');
  assert.equal(changesCutAt([]), null);
  assert.equal(changesCutAt(Array.from({ length: CHANGES_MAX }, (_, i) => ({ at_ms: 9000 - i }))),
    9001 - CHANGES_MAX);
});

test('an axis begins at zero, and a share is seen against the whole', () => {
  assert.deepEqual(valueRange(0.2, 0.99, 'ratio'), [0, 1]);
  assert.deepEqual(valueRange(0, 0.003, 'ratio'), [0, 0.01]);
  assert.deepEqual(valueRange(0, 0, 'bit/s'), [0, 1]);
  assert.deepEqual(valueRange(null, null, 'bit/s'), [0, 1]);
  assert.equal(valueRange(500, 1000, 'bit/s')[0], 0);
  assert.ok(valueRange(1.9e9, 2e9, 'Hz')[0] > 1e9);
});

test('values that stand alone are found, also beside times of others', () => {
  assert.deepEqual(isolated([1, null, 2, null, 3, 4], 0, 5), [0, 2]);
  assert.deepEqual(isolated([null, undefined, 2, undefined, null], 0, 4), [2]);
  assert.equal(isolated([1, undefined, 2], 0, 2), null);
});

test('a crosshair reads what is near, and a gap as a gap', () => {
  const times = [0, 10000, 20000, 30000];
  const values = [1, null, undefined, 4];
  assert.equal(stepOf(times, values), 10000);
  assert.equal(nearest(times, values, 1, 12000, 10000), 1);
  assert.equal(nearest(times, values, 2, 22000, 10000), 3, 'not one that is another series');
  assert.equal(nearest(times, values, 3, 90000, 10000), null);
});

test('zoom keeps what is pointed at, pan keeps the length', () => {
  assert.deepEqual(zoomed([0, 100], 0.5, 20), [10, 60]);
  assert.deepEqual(zoomed([0, 100], 2), [-50, 150]);
  assert.deepEqual(panned([0, 100], -0.25), [-25, 75]);
});

test('ticks share a prefix and have as many digits as tell them apart', () => {
  const texts = (values, unit) => axisTexts(values, unit).map(plain);
  assert.deepEqual(texts([0, 500000, 1000000], 'bit/s'), ['0', '0.5 Mbit/s', '1.0 Mbit/s']);
  assert.deepEqual(texts([0, 0.25, 0.5], 'ratio'), ['0 %', '25 %', '50 %']);
  assert.deepEqual(texts([0, 0.002, 0.004], 'ratio'), ['0.0 %', '0.2 %', '0.4 %']);
  assert.deepEqual(texts([0, 0.25, 0.5], 'packets/s'), ['0', '0.25 pps', '0.50 pps']);
  assert.deepEqual(texts([0, 20, 40], 'interrupts/s'), ['0', '20 /s', '40 /s']);
  assert.deepEqual(texts([], 'ratio'), []);
});

test('a time axis tells the day once and where it changes', () => {
  const day = new Date(2026, 2, 3, 22).getTime();
  const texts = timeTexts([0, 1, 2, 3].map((h) => day + h * 3600000), 3600000);
  assert.deepEqual(texts.map((t) => t.includes('\n')), [true, false, true, false]);
  assert.match(texts[0], /^22:00\n/);
  const now = new Date(2026, 5, 1).getTime();
  assert.doesNotMatch(instant(day, 60000, now), /2026/);
  assert.match(instant(day, 60000, new Date(2027, 1, 1).getTime()), /2026/);
  assert.match(instant(day, 1000, now), /22:00:00$/);
});
