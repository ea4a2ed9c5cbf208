/* SPDX-License-Identifier: ISC */
/*
 * The modules of the first page that need no page: the cells of the heatmap, what is
 * kept for it, the order of the cores and the words beside them.
 */

import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

/* A browser takes any module for one; node wants to be told, beside the files. */
const dir = await mkdtemp(join(tmpdir(), 'ringside-now-'));
after(() => rm(dir, { recursive: true }));
await cp(fileURLToPath(new URL('../../web/app', import.meta.url)), dir, { recursive: true });
await writeFile(join(dir, 'package.json'), '{"type":"module"}');
const load = (name) => import(pathToFileURL(join(dir, name)));

const { HeatPlane } = await load('heatplane.js');
const { History, Values, cellStart, pointsOfSeries } = await load('history.js');
const { Store } = await load('store.js');
const { Order } = await load('now/coreorder.js');
const { clockText, feedTexts, threadTexts } = await load('now/corewords.js');
const { PARTS, shareOf } = await load('now/parts.js');
const { waitingText } = await load('now/waiting.js');
const { storeText, unreadSources, writtenText } = await load('now/instrument.js');
const plain = (text) => text.replaceAll('\u00a0', ' ');

const T0 = 1800000000000;
const HOUR = 3600000;
const CORES = [0, 1, 2];

/* A history of n seconds; load(i, core) of each. */
function historyOf(n, load) {
  const history = new History(HOUR, 100000);
  let before = null;
  for (let i = 0; i < n; i++) {
    before = Values.of(CORES.map((core) => [core, load(i, core)]), before);
    history.add(T0 + 1000 * i, before, 500);
  }
  return history;
}

function planeOf(history, more = {}) {
  const plane = new HeatPlane();
  update(plane, history, more);
  return plane;
}

function update(plane, history, more = {}) {
  plane.update(history, { cores: CORES, width: 1000, spanMs: HOUR, intervalMs: 1000,
    toMs: history.newest, ...more });
}

const row = (plane, core) => [...plane.levels.subarray(plane.cores.indexOf(core) * plane.width,
  (plane.cores.indexOf(core) + 1) * plane.width)];

test('a peak of one second is seen in an hour, where columns are shared', () => {
  const plane = planeOf(historyOf(3601, (i, core) => i === 1234 && core === 1 ? 0.97 : 0.02));
  assert.equal(row(plane, 1).filter((level) => level === 98).length, 1);
  assert.equal(row(plane, 1).filter((level) => level === 3).length, 999);
  assert.ok(row(plane, 0).every((level) => level === 3));
});

test('tick by tick the picture becomes what it is when painted at once', () => {
  const load = (i, core) => ((i * 37 + core * 11) % 100) / 100;
  for (const [width, spanMs] of [[1000, HOUR], [1228, 300000], [333, 900000]]) {
    const history = historyOf(400, load);
    const plane = planeOf(history, { width, spanMs });
    for (let i = 400; i < 700; i++) {
      /* Now and then some are missing. */
      if (i % 50 > 44)
        continue;
      history.add(T0 + 1000 * i + i % 3, Values.of(CORES.map((core) => [core, load(i, core)])),
        500);
      update(plane, history, { width, spanMs });
    }
    assert.deepEqual(plane.levels, planeOf(history, { width, spanMs }).levels, String(width));
    assert.ok(plane.levels.some((level) => level > 0));
  }
});

test('a tick looks at no sample that is painted already', () => {
  const history = historyOf(500, () => 0.5);
  const plane = planeOf(history);
  for (const point of history.points)
    Object.defineProperty(point, 'values', { get: () => assert.fail('looked at again') });
  history.add(history.newest + 1000, Values.of(CORES.map((core) => [core, 0.9])), 500);
  update(plane, history);
  assert.equal(row(plane, 2).at(-1), 91);
});

test('what comes late, and other cores, are painted anew', () => {
  const history = historyOf(100, () => 0.1);
  const plane = planeOf(history, { spanMs: 300000 });
  const stored = [{ t: T0 - 60000, ms: 1000, values: Values.of([[0, 0.8]]) }];
  history.merge(stored, 500);
  update(plane, history, { spanMs: 300000 });
  assert.ok(row(plane, 0).includes(81));
  update(plane, history, { spanMs: 300000, cores: [2] });
  assert.equal(plane.levels.length, 1000);
  assert.ok(!plane.levels.includes(81));
});

test('a hole grows at the right edge, and stays where nothing was measured', () => {
  const history = historyOf(301, (i, core) => core === 2 ? null : 0.3);
  const plane = planeOf(history, { spanMs: 300000 });
  assert.ok(row(plane, 2).every((level) => level === 0));
  update(plane, history, { spanMs: 300000, toMs: history.newest + 30000 });
  assert.ok(row(plane, 0).slice(-99).every((level) => level === 0));
  assert.ok(row(plane, 0).slice(0, 899).every((level) => level === 31));
});

test('a column tells its samples', () => {
  const history = historyOf(3601, () => 0.2);
  const plane = planeOf(history);
  const [first, last] = plane.samplesAt(history.points, plane.right - 1, 1000);
  assert.equal(last, history.points.length - 1);
  assert.ok(last - first >= 1 && last - first <= 4, `${first} to ${last}`);
  const five = planeOf(history, { spanMs: 300000 });
  for (const i of [3599, 3500, 3301])
    assert.deepEqual(five.samplesAt(history.points, five.columnOf(history.points[i].t), 1000),
      [i, i]);
  update(five, history, { spanMs: 300000, toMs: history.newest + 30000 });
  assert.equal(five.samplesAt(history.points, five.right - 5, 1000), null);
});

test('coarse stored points fill what is old and give way to samples', () => {
  const store = new Store();
  const tick = (t) => ({ summary: { sampled_at_ms: t, interval_ms: 1000 }, interfaces: [],
    cores: [{ core: 0, packet_load: 0.5 }] });
  for (let i = 0; i < 10; i++)
    store.applyTick(tick(T0 + 1000 * i));
  assert.equal(store.isLoadKnown, false);
  const times = Array.from({ length: 20 }, (_, i) => T0 - 30000 + 2000 * i);
  store.applyLoadHistory({ resolution_ms: 2000, time_ms: times,
    series: [{ labels: { cpu: '0' }, values: times.map(() => 0.25) }] });
  assert.equal(store.isLoadKnown, true);
  const { points } = store.load;
  assert.deepEqual(points.filter((p) => p.t >= T0).map((p) => p.values.get(0)),
    Array(10).fill(0.5));
  /* Each covers all since the one before: no stripes. */
  for (let i = 1; i < points.length; i++)
    assert.equal(cellStart(points, i, 1000), points[i - 1].t);
});

test('a series keeps its resolution, and what is missing is null', () => {
  const [first, second] = pointsOfSeries({ resolution_ms: 2000, time_ms: [1, 2], series: [
    { labels: { cpu: '4' }, values: [0, null] }] }, (labels) => Number(labels.cpu), 8);
  assert.equal(first.ms, 2000);
  assert.equal(first.values.get(4), 0);
  assert.equal(second.values.get(4), null);
  assert.equal(first.values.get(5), undefined);
  assert.equal(first.values.index, second.values.index, 'one index for all');
});

test('cores come hottest first, but nobody moves each second or for a few points', () => {
  const order = new Order();
  const cores = (...loads) => loads.map((packet_load, core) => ({ core, packet_load }));
  const sorted = (list, now) => order.sort(list, now).map((c) => c.core);
  assert.deepEqual(sorted(cores(0.1, 0.9, 0.5), 0), [1, 2, 0]);
  assert.deepEqual(sorted(cores(0.99, 0.1, 0.5), 4000), [1, 2, 0]);
  assert.deepEqual(sorted(cores(0.99, 0.1, 0.5), 6000), [0, 2, 1]);
  assert.deepEqual(sorted(cores(0.5, 0.1, 0.55), 20000), [0, 2, 1]);
  /* One that comes does not wait. */
  assert.deepEqual(sorted(cores(0.5, 0.1, 0.55, 0.7), 21000), [3, 0, 2, 1]);
  order.set('number');
  assert.deepEqual(sorted(cores(0.1, 0.9, 0.5), 22000), [0, 1, 2]);
});

test('the parts of a core are those of the API, and the unknown is not 0', () => {
  assert.deepEqual(PARTS.map(([name]) => name).sort(),
    ['irq', 'nice', 'softirq', 'steal', 'system', 'user']);
  assert.equal(shareOf({ irq: null }, ['irq']), null);
  assert.equal(shareOf({ irq: 0 }, ['irq']), 0);
});

test('beside a bar stand its feeds, clock and threads', () => {
  const feeds = [0, 1, 2].flatMap((queue) => ['rx', 'tx'].map((direction) =>
    ({ device: 'eth0', queue, direction })));
  assert.deepEqual(feedTexts([...feeds, { device: 'eth1', queue: 4, direction: 'rx' },
    { device: 'usb0', queue: null, direction: null }]), ['eth0 q 0 to 2', 'eth1 rx 4', 'usb0']);
  assert.equal(plain(clockText({ freq_hz: 6e8, freq_max_hz: 1.4e9 })), '0.60 of 1.40 GHz');
  assert.equal(clockText({ freq_hz: null }), null);
  assert.equal(plain(threadTexts({ threads: [
    { core: 1, class: 'user', name: 'openvpn', load: 0.88 },
    { core: 1, class: 'napi', name: 'napi/eth1-1', load: 0.3 },
    { core: 2, class: 'user', name: 'other', load: 1 }] }, 1)),
  'packet threads napi/eth1-1 30 %; processes openvpn 88 %');
});

test('an empty panel says why it is', () => {
  const of = (o) => waitingText({ connection: 'live', problem: null, summary: null, ...o });
  assert.match(of({}), /^Asking/);
  assert.match(of({ summary: {} }), /just started/);
  assert.match(of({ connection: 'lost' }), /does not answer/);
  assert.match(of({ connection: 'refused', problem: { status: 401 } }), /does not show/);
});

test('what this machine has not is not called unread', () => {
  const source = (id, state) => ({ id, state });
  assert.deepEqual(unreadSources({ sources: [source('stat', 'ok'), source('thermal', 'missing'),
    source('threads', 'forbidden'), source('softnet', 'failing')] }).map((s) => s.id),
  ['threads', 'softnet']);
});

test('without a database it is said what there is in its place', () => {
  const memory = { state: 'memory' };
  assert.match(storeText(memory), /no database.*the last hour is in memory/);
  assert.equal(writtenText({ store: memory, bytes_written_per_day: 0 }), 'nothing');
  assert.equal(plain(writtenText({ store: { state: 'ok' }, bytes_written_per_day: 2e6 })),
    '2.00 MB');
});

test('a finding that came while the list was on its way stays', () => {
  const finding = (id, more = {}) => ({ id, severity: 'warn', raised_ms: T0, cleared_ms: null,
    ...more });
  const ids = (list) => list.map((f) => f.id).sort();
  const store = new Store();
  store.applyFinding(finding(1));
  store.applyFinding(finding(2));
  const known = store.findings;
  store.applyFinding(finding(1, { cleared_ms: T0 + 5000 }));
  store.applyFinding(finding(3));
  /* As it was when it was asked for; 2 was cleared unheard and is no longer kept. */
  store.applyFindings([finding(1)], known);
  assert.deepEqual([ids(store.active), ids(store.cleared)], [[3], [1]]);
});

test('nor does the list of what stands undo what the stream said meanwhile', () => {
  const finding = (id, cleared_ms = null) => ({ id, severity: 'warn', raised_ms: T0, cleared_ms });
  const store = new Store();
  store.applyFinding(finding(1));
  store.applyFinding(finding(4, T0 + 1000));
  const known = store.findings;
  store.applyFinding(finding(1, T0 + 5000));
  store.applyFinding(finding(3));
  assert.equal(store.applyActive([finding(1)], known), true);
  assert.deepEqual(store.active.map((f) => f.id), [3]);
  assert.deepEqual(store.cleared.map((f) => f.id), [1, 4], 'the past stays');
  assert.equal(store.applyActive([], store.findings), false, 'one is gone unheard');
});
