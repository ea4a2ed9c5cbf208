/* SPDX-License-Identifier: ISC */
/*
 * The modules of the page that need no page: numbers as text, history, and the
 * life of the stream with an EventSource that does as it is told.
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

const format = await load('format.js');
const { History, cellStart, pointsOfSeries } = await load('history.js');
const { Store } = await load('store.js');
const { Stream } = await load('stream.js');
const plain = (text) => text.replaceAll('\u00a0', ' ');

test('a moment of another day has its date, one of another year the year', async () => {
  const now = new Date(2026, 2, 1, 12, 0, 0).getTime();
  assert.match(format.moment(new Date(2026, 2, 1, 9, 5, 7).getTime(), now), /^\d\d:05:07$/);
  assert.match(format.moment(new Date(2026, 1, 27, 9, 5, 7).getTime(), now), /27.* \d\d:05:07$/);
  assert.match(format.moment(new Date(2025, 1, 27, 9, 5, 7).getTime(), now), /2025.* \d\d:05:07$/);
  assert.doesNotMatch(format.moment(new Date(2026, 1, 27, 9, 5, 7).getTime(), now), /2026/);
});

test('figures have three digits, a multiple of 1000 and a unit', () => {
  const cases = [
    [format.bits, 0, '0 bit/s'],
    [format.bits, 999.4, '999 bit/s'],
    [format.bits, 999.6, '1.00 kbit/s'],
    [format.bits, 944e6, '944 Mbit/s'],
    [format.bits, 999.96e6, '1.00 Gbit/s'],
    [format.bits, 9.996e9, '10.0 Gbit/s'],
    [format.bits, 18.43e9, '18.4 Gbit/s'],
    [format.lineRate, 1e9, '1 Gbit/s'],
    [format.lineRate, 2.5e9, '2.5 Gbit/s'],
    [format.packets, 148810, '149 kpps'],
    [format.rate, 11854, '11.9 k/s'],
    [format.percent, 0.9951, '100 %'],
    [format.percent, 0, '0 %'],
    [format.microseconds, 312.4, '312 \u00b5s'],
    [format.microseconds, 4100, '4.1 ms'],
    [format.duration, 119000, '119 s'],
    [format.duration, 150000, '2 min'],
    [format.duration, 7500000, '2 h 5 min'],
  ];
  for (const [f, value, text] of cases)
    assert.equal(plain(f(value)), text);
});

test('a slow rate is not none: one digit below one', () => {
  const cases = [[0.3, '0.3'], [0.0167, '0.02'], [0.00028, '0.0003'], [0.94, '0.9'], [0.96, '1'],
    [1.4, '1'], [0, '0'], [-0, '0'], [-0.3, '-0.3']];
  for (const [value, text] of cases) {
    assert.equal(plain(format.packets(value)), text + ' pps');
    assert.equal(plain(format.bits(value)), text + ' bit/s');
    assert.equal(plain(format.rate(value)), text + ' /s');
    assert.equal(format.count(value), text);
    assert.equal(format.packetsParts(value).number, text);
    for (const unit of ['packets/s', '1/s', 'interrupts/s', 'events/s', 'bit/s', 'Hz'])
      assert.equal(format.quantity(value, unit).split('\u00a0')[0], text, unit);
  }
});

test('what is not known is a dash and never 0', () => {
  for (const f of [format.bits, format.packets, format.rate, format.percent, format.bytes,
    format.count, format.microseconds, format.duration, format.clock, format.lineRate]) {
    for (const value of [null, undefined, NaN, Infinity])
      assert.equal(f(value), format.DASH);
  }
  assert.equal(format.bitsParts(null), null);
  assert.equal(format.quantity(null, 'ratio'), format.DASH);
});

test('evidence is shown in the unit the API names', () => {
  const cases = [
    [0.112, 'ratio', '11 %'], [2.667, 'cores', '2.67 cores'], [1, 'cores', '1 core'],
    [760e6, 'bit/s', '760 Mbit/s'], [68123, 'packets/s', '68.1 kpps'], [3, '', '3'],
    [1.4e9, 'Hz', '1.40 GHz'], ['precise', '', 'precise'], [0.12345, 'furlongs', '0.123 furlongs'],
    [7, 'constructor', '7 constructor'],
  ];
  for (const [value, unit, text] of cases)
    assert.equal(plain(format.quantity(value, unit)), text);
});

test('evidence shows its value and the words beside it', () => {
  const cases = [
    [0.99, 'ratio', 'busy 100 %', '99 %, busy 100 %'], [0.99, 'ratio', undefined, '99 %'],
    [null, '', 'threads count as 0', 'threads count as 0'], [null, 'ratio', '', format.DASH],
  ];
  for (const [value, unit, text, shown] of cases)
    assert.equal(plain(format.measured(value, unit, text)), shown);
});

const values = (v) => new Map([[0, v]]);
const shape = (history) => history.points.map((p) => [p.t, p.values.get(0)]);

test('stored history fills a hole between live samples and doubles none', () => {
  const history = new History(300000, 1600);
  for (const [t, v] of [[10000, 1], [11000, 2], [15003, 6]])
    history.add(t, values(v), 500);
  const stored = [9, 10, 11, 12, 13, 14, 15];
  history.merge(stored.map((s) => ({ t: s * 1000 + 2, values: values(-s) })), 500);
  assert.deepEqual(shape(history), [[9002, -9], [10000, 1], [11000, 2], [12002, -12], [13002, -13],
    [14002, -14], [15003, 6]]);
});

test('samples sent again after a reconnection change nothing', () => {
  const history = new History(300000, 1600);
  for (const t of [1000, 2000, 3000, 4000])
    history.add(t, values(t), 500);
  history.add(2000, values(-1), 500);
  history.add(2000.4, values(-1), 500);
  assert.deepEqual(shape(history), [[1000, 1000], [2000, 2000], [3000, 3000], [4000, 4000]]);
});

test('history is bounded in time and number', () => {
  const history = new History(5000, 100);
  for (let t = 0; t <= 60000; t += 1000)
    history.add(t, values(t), 500);
  assert.deepEqual(history.points.map((p) => p.t), [56000, 57000, 58000, 59000, 60000]);
  const dense = new History(5000, 10);
  for (let t = 0; t <= 1000; t += 10)
    dense.add(t, values(t), 5);
  assert.equal(dense.points.length, 10);
  assert.equal(dense.newest, 1000);
});

test('a cell begins at the sample before it, after a gap one interval back', () => {
  const points = [1000, 2010, 2990, 7000].map((t) => ({ t }));
  assert.deepEqual(points.map((_, i) => cellStart(points, i, 1000)), [0, 1000, 2010, 6000]);
});

test('columns of a series become points and keep null', () => {
  const points = pointsOfSeries({ time_ms: [1, 2], series: [
    { labels: { cpu: '3' }, values: [0.5, null] }, { labels: { cpu: '0' }, values: [1] }] },
  (labels) => Number(labels.cpu));
  assert.deepEqual(points.map((p) => [...p.values]), [[[3, 0.5], [0, 1]], [[3, null], [0, null]]]);
});

function tick(t, load) {
  return {
    summary: { sampled_at_ms: t, interval_ms: 1000 },
    cores: [{ core: 0, packet_load: load }],
    interfaces: [{ device: 'eth0', rx_bps: 8, tx_bps: null }],
  };
}

test('the store tells a hole, and a clock set back voids what lies ahead', () => {
  const store = new Store();
  assert.equal(store.applyTick(tick(1000000, 0.1)), false);
  assert.equal(store.applyTick(tick(1001000, 0.2)), true);
  assert.equal(store.applyTick(tick(1005000, 0.3)), false);
  store.applyTick(tick(500000, 0.4));
  assert.deepEqual(shape(store.load), [[500000, 0.4]]);
  assert.equal(store.traffic.points[0].values.get('tx eth0'), null);
});

test('cleared findings leave the active ones and do not pile up', () => {
  const store = new Store();
  for (let id = 1; id <= 500; id++)
    store.applyFinding({ id, severity: 'info', raised_ms: id, cleared_ms: id + 1 });
  store.applyFinding({ id: 501, severity: 'warn', raised_ms: 5, cleared_ms: null });
  store.applyFinding({ id: 502, severity: 'crit', raised_ms: 4, cleared_ms: null });
  assert.deepEqual(store.active.map((f) => f.id), [502, 501]);
  assert.equal(store.cleared.length, 50);
  assert.equal(store.cleared[0].id, 500);
});

test('changes come newest first, once, and are bounded', () => {
  const store = new Store();
  store.refuseChanges('nothing is here');
  assert.equal(store.changes, null);
  assert.equal(store.changesProblem, 'nothing is here');
  store.applyChanges([{ id: 5 }, { id: 4 }]);
  store.applyChange({ id: 6 });
  store.applyChange({ id: 5 });
  assert.deepEqual(store.changes.map((c) => c.id), [6, 5, 4]);
  assert.equal(store.changesProblem, null);
  for (let id = 7; id < 600; id++)
    store.applyChange({ id });
  assert.equal(store.changes.length, 200);
  assert.equal(store.changes[0].id, 599);
});

test('a change that came while the list was on its way stays', () => {
  const store = new Store();
  store.applyChange({ id: 3 });
  store.applyChanges([{ id: 2 }, { id: 1 }], null);
  assert.deepEqual(store.changes.map((c) => c.id), [3, 2, 1]);
  const known = store.changes;
  store.applyChange({ id: 4 });
  store.applyChange({ id: 5 });
  store.applyChanges([{ id: 4 }, { id: 3 }], known);
  assert.deepEqual(store.changes.map((c) => c.id), [5, 4, 3]);
  /* Another daemon, or another database. */
  store.applyChanges([{ id: 1 }], store.changes);
  assert.deepEqual(store.changes.map((c) => c.id), [1]);
});

test('a map that cannot be had leaves the last one', () => {
  const store = new Store();
  store.applyMap({ cores: [] });
  store.takeChanges();
  store.refuseMap('too busy');
  assert.deepEqual(store.map, { cores: [] });
  assert.ok(store.takeChanges().has('map'));
});

class FakeEventSource {
  static CLOSED = 2;
  static all = [];
  #listeners = new Map();
  readyState = 0;
  constructor(url) {
    this.url = url;
    FakeEventSource.all.push(this);
  }
  addEventListener(name, f) {
    this.#listeners.set(name, f);
  }
  close() {
    this.readyState = 2;
  }
  say(name, event) {
    this.#listeners.get(name)(event ?? {});
  }
}

test('the stream is opened again when the browser gave up, and when it is silent', (t) => {
  const timers = new Map();
  let nTimers = 0;
  let lastMs = null;
  t.mock.method(globalThis, 'setTimeout', (f, ms) => {
    lastMs = ms;
    timers.set(++nTimers, f);
    return nTimers;
  });
  t.mock.method(globalThis, 'clearTimeout', (id) => timers.delete(id));
  const elapse = () => {
    const due = [...timers.values()];
    timers.clear();
    due.forEach((f) => f());
  };
  globalThis.EventSource = FakeEventSource;
  globalThis.document = { baseURI: 'http://me:token@192.0.2.1:7464/ringside/' };
  const heard = [];
  const stream = new Stream({
    onOpen: () => heard.push('open'),
    onLost: (isRefused) => heard.push(isRefused ? 'refused' : 'lost'),
    onEvent: (name, data) => heard.push([name, data]),
  });
  const sources = FakeEventSource.all;
  stream.open();
  assert.equal(sources[0].url, 'http://192.0.2.1:7464/ringside/api/v1/stream');
  sources[0].say('open');
  sources[0].say('tick', { data: '{"a":1}' });
  sources[0].say('tick', { data: '{"a":' });
  /* The browser tries by itself. */
  sources[0].say('error');
  assert.equal(sources.length, 1);
  assert.deepEqual(heard, ['open', ['tick', { a: 1 }], ['gap', null], 'lost']);
  /* The browser gave up. */
  sources[0].close();
  sources[0].say('error');
  assert.equal(heard.at(-1), 'refused');
  assert.equal(stream.isWanted, true);
  /* Told that there is no place, it is in no hurry. */
  stream.postpone();
  assert.deepEqual([timers.size, lastMs], [1, 30000]);
  elapse();
  assert.equal(sources.length, 2);
  stream.postpone();
  assert.equal(timers.size, 0);
  /* Nothing heard for longer than -1 ms, which is always so. */
  stream.watch(-1);
  assert.equal(sources.length, 3);
  assert.equal(sources[1].readyState, 2);
  /* What the dead one still says does not count. */
  sources[1].say('error');
  assert.equal(sources.length, 3);
  stream.close();
  assert.equal(stream.isWanted, false);
  elapse();
  assert.equal(sources.length, 3);
});
