/* SPDX-License-Identifier: ISC */
/*
 * The pages of changes and of the instrument as far as they need no page: which
 * times are compared, what of before and after is told, and health in words.
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

const { momentsOf, othersIn } = await load('changes/moments.js');
const { dueMs, indexesIn, spanOf, windowsOf } = await load('changes/windows.js');
const { judge, measure } = await load('changes/effect.js');
const { figuresOf, notesOf, stateText } = await load('changes/words.js');
const { Effects } = await load('changes/effects.js');
const { joined, passes } = await load('changes/log.js');
const { pathOf } = await load('changes/trace.js');
const { SECTIONS, fineShare, tierTexts, tiersOf } = await load('about/figures.js');
const { sortedSources, sourceTexts } = await load('about/sources.js');
const plain = (text) => text.replaceAll('\u00a0', ' ').replaceAll('\u2192', '->');

const AT = 1700000000000;
const MOMENT = { key: '1', ids: new Set([1]), fromMs: AT, toMs: AT };

/* An answer of /api/v1/series: rows are [labels, before, after]; a side is a number,
 * null, or a function of the second. */
function answer(rows, windows, stepMs = 1000) {
  const times = [];
  for (let t = windows.before.fromMs + stepMs; t <= windows.after.toMs; t += stepMs)
    times.push(t);
  const value = (side, t) => typeof side === 'function' ? side(t) : side;
  return { time_ms: times, resolution_ms: stepMs, series: rows.map(([labels, before, behind]) =>
    ({ labels, values: times.map((t) => value(t <= AT ? before : behind, t)) })) };
}

/* bit/s as the API tells bytes. */
function bytesOf(side) {
  if (typeof side === 'function')
    return (t) => side(t) / 8;
  return side === null ? null : (side ?? 0) / 8;
}

/* What is told of a router whose sides are { loads: [by core], rx, tx (bit/s), pps }. */
function compare(before, behind, { stepMs = 1000, others = 0 } = {}) {
  const windows = windowsOf(MOMENT, stepMs);
  const ways = (name, f) => ['rx', 'tx'].map((direction) =>
    [{ device: 'eth0', direction }, f(before, direction), f(behind, direction)]);
  const measured = measure({
    loads: answer(before.loads.map((v, cpu) => [{ cpu: String(cpu) }, v, behind.loads[cpu]]),
      windows, stepMs),
    bytes: answer(ways('bytes', (s, way) => bytesOf(s[way])), windows,
      stepMs),
    packets: answer(ways('packets', (s) => s.pps), windows, stepMs),
  }, windows);
  const verdict = judge(measured);
  const told = verdict.problem !== null ? [] : figuresOf(measured, verdict)
    .map((f) => plain(f.label + ': ' + f.value + (f.about === '' ? '' : ', ' + f.about)));
  return { measured, verdict, told, notes: verdict.problem !== null ? []
    : notesOf(measured, verdict, others, windows).map(plain) };
}

test('changes seen within one round are one moment, newest first', () => {
  const change = (id, at, kind = 'mtu') => ({ id, at_ms: at, kind, old: 'a', new: 'b',
    subject: { kind: 'interface', device: 'eth0' } });
  const list = [change(6, AT + 60000), change(5, AT + 9000), change(4, AT + 5000, 'qdisc'),
    change(3, AT + 2000), change(2, AT), change(1, AT - 90000)];
  const moments = momentsOf(list);
  assert.deepEqual(moments.map((m) => [...m.ids]), [[6], [5], [4, 3, 2], [1]]);
  assert.deepEqual([moments[2].fromMs, moments[2].toMs, moments[2].key], [AT, AT + 5000, '2']);
  assert.deepEqual(moments[2].groups.map((g) => g.change.kind), ['qdisc', 'mtu', 'mtu']);
  assert.deepEqual(momentsOf([]), []);
});

test('other changes count within the time compared and once', () => {
  const change = (id, at) => ({ id, at_ms: at });
  const span = { fromMs: AT - 65000, toMs: AT + 65000 };
  const list = [change(1, AT), change(2, AT + 30000), change(2, AT + 30000), change(3, AT - 65000),
    change(4, AT - 64999), change(5, AT + 65000), change(6, AT + 65001)];
  assert.equal(othersIn(list, MOMENT, span), 3);
  assert.equal(othersIn([change(1, AT)], MOMENT, span), 0);
});

test('a minute on each side, away from the moment; coarser values need longer', () => {
  const seconds = windowsOf({ fromMs: AT, toMs: AT + 2000 }, 1000);
  assert.deepEqual(seconds.before, { fromMs: AT - 65000, toMs: AT - 5000 });
  assert.deepEqual(seconds.after, { fromMs: AT + 7000, toMs: AT + 67000 });
  assert.deepEqual(spanOf(seconds), { fromMs: AT - 65000, toMs: AT + 67000 });
  assert.equal(dueMs(seconds, 1000), AT + 69000);
  assert.equal(windowsOf(MOMENT, 60000).lengthMs, 360000);
  assert.equal(windowsOf(MOMENT, 3600000), null);
  /* Only steps that lie inside: one that holds the moment is of neither side. */
  const minutes = windowsOf(MOMENT, 60000);
  const times = Array.from({ length: 13 }, (_, i) => AT + 20000 + (i - 6) * 60000);
  const inside = (w) => indexesIn(times, 60000, w).map((i) => times[i] - AT);
  assert.deepEqual(inside(minutes.before), [-280000, -220000, -160000, -100000, -40000]);
  assert.deepEqual(inside(minutes.after), [80000, 140000, 200000, 260000, 320000]);
});

test('the hottest core and throughput, before and after', () => {
  const { told, notes, verdict } = compare(
    { loads: [0.02, 0.97], rx: 540e6, tx: 530e6, pps: 45000 },
    { loads: [0.61, 0.40], rx: 600e6, tx: 590e6, pps: 50000 });
  assert.deepEqual(told, ['Hottest core: 97 % -> 61 %, core 1 -> core 0',
    'Throughput in: 540 -> 600 Mbit/s', 'Packets per CPU second: 45.5 k -> 49.5 k']);
  assert.deepEqual(notes, []);
  assert.deepEqual([verdict.load, verdict.bps, verdict.traffic.state], ['lower', 'higher', 'same']);
});

test('loads of different traffic are told for each kpps, too', () => {
  const { told, notes } = compare({ loads: [0.9], rx: 980e6, pps: 45000 },
    { loads: [0.6], rx: 1.96e9, pps: 90000 });
  assert.equal(told[1], 'Throughput in: 980 Mbit/s -> 1.96 Gbit/s');
  assert.deepEqual(notes, ['Traffic was different: 2.0 times as many packets after. For each kpps '
    + 'the hottest core had 2.0 % -> 0.7 % of load.']);
  assert.match(compare({ loads: [0.9], rx: 1e9, pps: 90000 }, { loads: [0.9], rx: 1e8, pps: 9000 })
    .notes[0], /^Traffic was different: 10 times as many before\./);
});

test('without traffic loads say nothing, and nothing is divided by it', () => {
  const idle = compare({ loads: [0.01], rx: 2000, pps: 3 }, { loads: [0.01], rx: 2000, pps: 2 });
  assert.deepEqual(idle.notes,
    ['Hardly any packets before and after: the loads say nothing of this setting.']);
  assert.equal(idle.told.length, 2);
  const one = compare({ loads: [0.5], rx: 1e8, pps: 9000 }, { loads: [0.0], rx: 0, pps: 0 });
  assert.deepEqual(one.notes, ['Hardly any packets on one side: the loads cannot be compared.']);
  assert.equal(one.verdict.perCpuSecond, null);
  /* Packets, but hardly any load: a quotient would be noise. */
  assert.equal(compare({ loads: [0.001], rx: 1e8, pps: 9000 }, { loads: [0.3], rx: 1e8, pps: 9000 })
    .verdict.perCpuSecond, null);
});

test('what is within the ups and downs is no difference', () => {
  const wave = (middle) => (t) => middle + (t / 1000 % 2 === 0 ? 0.15 : -0.15);
  const calm = { rx: 5e8, pps: 50000 };
  const same = compare({ loads: [wave(0.5)], ...calm }, { loads: [wave(0.6)], ...calm });
  assert.equal(same.verdict.load, 'same');
  assert.deepEqual(same.notes, ['No difference beyond the usual ups and downs.']);
  /* Far more than that is one, however restless the traffic is. */
  const wild = (most) => (t) => t / 1000 % 2 === 0 ? most : 0;
  const fewer = compare({ loads: [0.5], rx: wild(8e8), pps: 50000 },
    { loads: [0.5], rx: wild(4e8), pps: 50000 });
  assert.equal(fewer.verdict.bps, 'lower');
  const moved = compare({ loads: [0.5, 0], ...calm }, { loads: [0, 0.5], ...calm });
  assert.match(moved.notes[0], /^Another core is the hottest\. The difference is within/);
  const clear = compare({ loads: [0.5], ...calm }, { loads: [0.6], ...calm });
  assert.equal(clear.verdict.load, 'higher');
  assert.deepEqual(clear.notes, []);
});

test('other changes are told first', () => {
  const side = { loads: [0.5], rx: 5e8, pps: 50000 };
  const less = { loads: [0.3], rx: 5e8, pps: 50000 };
  assert.equal(compare(side, less, { others: 2 }).notes[0],
    'Together with 2 other changes in the time compared.');
  assert.equal(compare(side, less, { others: 1 }).notes[0],
    'Together with 1 other change in the time compared.');
});

test('samples that are missing are said, and half of them are too few', () => {
  const side = { loads: [0.5], rx: 5e8, pps: 50000 };
  const lost = { loads: [null], rx: null, pps: null };
  assert.equal(compare(lost, side).verdict.problem, 'before');
  assert.equal(compare(side, lost).verdict.problem, 'after');
  assert.equal(compare(lost, lost).verdict.problem, 'both');
  const until = (seconds) => (t) => t <= AT + seconds * 1000 ? 0.2 : null;
  const part = compare(side, { ...side, loads: [until(50)] });
  assert.equal(part.verdict.problem, null);
  assert.deepEqual(part.notes, ['Samples of 75 % of the time are there.']);
  assert.equal(compare(side, { ...side, loads: [until(20)] }).verdict.problem, 'after');
  const unknown = compare(side, { loads: [0.2], rx: null, pps: null });
  assert.equal(unknown.told[1], 'Throughput in: 500 Mbit/s -> \u2014');
  assert.deepEqual(unknown.notes,
    ['Packets are not known: whether the traffic was the same cannot be told.']);
});

test('minute means are told as such', () => {
  const { told, notes } = compare({ loads: [0.9], rx: 5e8, pps: 50000 },
    { loads: [0.5], rx: 5e8, pps: 50000 }, { stepMs: 60000 });
  assert.equal(told[0], 'Hottest core: 90 % -> 50 %, core 0');
  assert.deepEqual(notes, ['Means of five minutes each, of values 60 s apart: what is kept of then '
    + 'is no finer.']);
});

test('a machine that mostly sends is judged by what it sends', () => {
  const sides = [{ loads: [0.4], rx: 1e6, tx: 5e8, pps: 40000 },
    { loads: [0.4], rx: 1e6, tx: 7e8, pps: 41000 }];
  assert.equal(compare(...sides).told[1], 'Throughput out: 500 -> 700 Mbit/s');
});

test('a state without figures is said', () => {
  assert.equal(plain(stateText({ name: 'waiting', inMs: 40200 })), 'Before and after: in 40 s.');
  assert.match(stateText({ name: 'coarse' }), /hours/);
  assert.match(stateText({ name: 'failed', reason: 'too many questions' }), /too many questions/);
  assert.match(stateText({ name: 'known', verdict: { problem: 'before' } }), /before it/);
  assert.equal(stateText({ name: 'known', verdict: { problem: null } }), '');
});

test('what could not be fetched is asked for again when the daemon is back', async (t) => {
  const names = ['fetch', 'document'];
  const before = names.map((name) => globalThis[name]);
  t.after(() => names.forEach((name, i) => { globalThis[name] = before[i]; }));
  globalThis.document = { baseURI: 'http://router/' };
  let isUp = false;
  let nAsked = 0;
  globalThis.fetch = async (href) => {
    nAsked++;
    if (!isUp)
      throw new Error('gone');
    const { pathname } = new URL(href);
    return Response.json(pathname.endsWith('/changes') ? []
      : { tier: 'raw', resolution_ms: 1000, time_ms: [], series: [] });
  };
  const store = { intervalMs: 1000, nowMs: AT + 600000, sampledMs: AT + 600000, cores: [{}],
    map: null, mapProblem: null, changes: [] };
  const news = [];
  const turn = () => new Promise((resolve) => { news.push(resolve); });
  const effects = new Effects(store, () => news.shift()?.());
  effects.show(MOMENT);
  assert.equal(nAsked, 0, 'which interfaces count is not known');
  store.map = { devices: [] };
  let told = turn();
  effects.tick();
  await told;
  assert.equal(effects.of(MOMENT).name, 'failed');
  effects.tick();
  assert.equal(nAsked, 4, 'not each second');
  isUp = true;
  told = turn();
  effects.heal();
  await told;
  assert.equal(effects.of(MOMENT).name, 'known');
  /* Nor is "no samples" for ever: the daemon may not have read its store yet. */
  assert.equal(effects.of(MOMENT).verdict.problem, 'both');
  told = turn();
  effects.heal();
  await told;
  assert.equal(nAsked, 12);
});

test('lists of changes are joined without doubles, and filtered', () => {
  const a = [{ id: 3, at_ms: 30 }, { id: 2, at_ms: 20 }];
  assert.deepEqual(joined(a, [{ id: 2, at_ms: 20 }, { id: 1, at_ms: 20 }]).map((c) => c.id),
    [3, 2, 1]);
  const change = { kind: 'mtu', subject: { device: 'eth0' } };
  assert.equal(passes({ device: '', kind: '' }, change), true);
  assert.equal(passes({ device: 'eth0', kind: 'mtu' }, change), true);
  assert.equal(passes({ device: 'eth1', kind: '' }, change), false);
  assert.equal(passes({ device: '', kind: 'qdisc' }, { kind: 'mtu' }), false);
  assert.equal(passes({ device: 'eth0', kind: '' }, { kind: 'kernel' }), false);
});

test('a line is broken where values are missing', () => {
  const points = [[0, 1], [1000, 2], [2000, null], [3000, 1], [4000, 0]]
    .map(([t, v]) => ({ t, v }));
  assert.equal(pathOf(points, (t) => t / 1000, (v) => v, 1000),
    'M0.0 1.0L1.0 2.0M3.0 1.0L4.0 0.0');
});

test('small shares of a core keep digits that mean something', () => {
  const cases = [[0.00123, '0.12 %'], [0.00001, 'below 0.01 %'], [0.2345, '23.4 %'], [null, null],
    [NaN, null]];
  for (const [ratio, text] of cases)
    assert.equal(fineShare(ratio)?.replace('\u00a0', ' ') ?? null, text);
});

test('tiers of the store are told with what they hold', () => {
  const told = tierTexts({ tier: 'minute', oldest_ms: AT - 7200000, rows_given_up: 12000 }, AT);
  assert.equal(told.name, 'Minutes');
  assert.equal(plain(told.span), '2 h 0 min');
  assert.equal(plain(told.givenUp), '12 000');
  assert.deepEqual([tierTexts({ tier: 'hour', oldest_ms: null, rows_given_up: 0 }, AT)]
    .map((t) => [t.since, t.span]), [['none yet', null]]);
});

test('sources that cannot be read come first, with what would help', () => {
  const source = (id, state, reason = null) => ({ id, state, reason, path: 'proc/' + id, reads: 50,
    cost_us: 12.4, skipped_rows: 0 });
  const list = sortedSources([source('stat', 'ok'), source('thermal', 'missing', 'No such file'),
    source('flows', 'ok', 'bytes are not counted'), source('threads', 'forbidden', 'not permitted'),
    source('softnet', 'failing', 'nothing in it could be used')]);
  assert.deepEqual(list.map((s) => s.id), ['softnet', 'threads', 'flows', 'thermal', 'stat']);
  const told = list.map((s) => sourceTexts(s, 100));
  assert.deepEqual(told.map((t) => t.state), ['cannot be read', 'not permitted', 'read in part',
    'not on this system', 'read']);
  assert.equal(told[0].reason, 'nothing in it could be used');
  assert.match(told[1].reason, /^not permitted\. Start the daemon as root/);
  assert.equal(told[2].reason, 'bytes are not counted');
  assert.equal(plain(told[4].pace), 'every 2 s');
  assert.equal(told[4].path, '/proc/stat');
  assert.equal(told[1].pace, 'now and then');
  assert.equal(told[3].reason, 'This kernel, driver or machine has none: No such file');
});

test('rows that were not understood are told of a source, and bring it forward', () => {
  const source = (id, skipped_rows) => ({ id, state: 'ok', reason: null, reads: 50, cost_us: 12,
    skipped_rows });
  const list = sortedSources([source('stat', 0), source('interrupts', 3), source('softnet', 1)]);
  assert.deepEqual(list.map((s) => s.id), ['interrupts', 'softnet', 'stat']);
  const told = list.map((s) => sourceTexts(s, 100));
  assert.equal(told[0].reason, '3 rows of the last reading not understood');
  assert.equal(told[1].reason, '1 row of the last reading not understood');
  assert.deepEqual([told[0].state, told[0].kind, told[2].reason], ['read in part', 'partial', '']);
});

test('without a database nothing is said of writing to one', () => {
  const told = (state) => Object.fromEntries(SECTIONS.flatMap(([, lines]) => lines)
    .map(([name, read]) => [name, read({ nowMs: AT, summary: null, share: null, health: {
      bytes_written: 0, bytes_written_per_day: null, store: { state, commits: 6, commit_errors: 0,
        commit_max_us: 12, blocks_failed: 0, findings_dropped: 0, changes_dropped: 0 } } })]));
  const memory = told('memory');
  assert.equal(memory.Written, 'nothing');
  for (const name of ['Written a day', 'Written since its start', 'Longest commit',
    'Commits that failed'])
    assert.equal(memory[name], null, name);
  assert.equal(told('ok')['Written a day'], 'not known yet');
  assert.equal(told('ok').Written, null);
  assert.equal(told('ok')['Commits that failed'], '0 of 6');
  const tiers = [{ tier: 'raw', oldest_ms: AT }, { tier: 'hour', oldest_ms: null }];
  assert.equal(tiersOf({ state: 'memory', tiers }).length, 1);
  assert.equal(tiersOf({ state: 'ok', tiers }).length, 2);
});
