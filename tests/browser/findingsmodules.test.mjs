/* SPDX-License-Identifier: ISC */
/*
 * The modules of the page of findings that need no page: which are shown, what of
 * history shows them, and the figures before, during and after.
 */

import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { linkFinding, makeFinding, past } from './findings.mjs';

const root = new URL('../../', import.meta.url);
const dir = await mkdtemp(join(tmpdir(), 'ringside-app-'));
after(() => rm(dir, { recursive: true }));
await cp(fileURLToPath(new URL('web/app', root)), dir, { recursive: true });
await writeFile(join(dir, 'package.json'), '{"type":"module"}');
const load = (name) => import(pathToFileURL(join(dir, name)));

const filters = await load('findings/filter.js');
const { chartsOf, windowOf } = await load('findings/evidence.js');
const { bandsOf, edgeOf, linesOf } = await load('findings/lines.js');
const { Known } = await load('findings/known.js');
const words = await load('findings/words.js');
const say = await load('findings/say.js');
const { announcer } = await load('findings/announce.js');
const { historyParameters } = await load('findings/link.js');
const { parseState } = await load('history/address.js');
const { addressOf, parseAddress } = await load('router.js');
const plain = (text) => text.replaceAll('\u00a0', ' ');

const filterOf = (query) => filters.parseFilter(new URLSearchParams(query));
const idsOf = (list, query) => list.filter((f) => filters.matches(f, filterOf(query)))
  .map((f) => f.id);

const LIST = [
  makeFinding(1),
  linkFinding(2, { cleared_ms: Date.now() }),
  makeFinding(3, { severity: 'info', causes: [], evidence: [], advice: [],
    subject: { kind: 'queue', device: 'eth0', queue: 2, direction: 'rx' } }),
  makeFinding(4, { causes: ['work comes in on eth0.7'], evidence: [], advice: [] }),
];

test('findings are chosen by severity, device, state and text', () => {
  assert.deepEqual(idsOf(LIST, ''), [1, 2, 3, 4]);
  assert.deepEqual(idsOf(LIST, 'severity=crit'), [2]);
  assert.deepEqual(idsOf(LIST, 'severity=crit&severity=info'), [2, 3]);
  assert.deepEqual(idsOf(LIST, 'state=past'), [2]);
  assert.deepEqual(idsOf(LIST, 'state=active&severity=crit'), []);
  assert.deepEqual(idsOf(LIST, 'text=CABLE'), [2]);
  assert.deepEqual(idsOf(LIST, 'text=link.err'), [2]);
});

test('a finding concerns the device it names, and no other that begins alike', () => {
  assert.deepEqual(idsOf(LIST, 'device=eth0'), [1, 3]);
  assert.deepEqual(idsOf(LIST, 'device=eth0.7'), [4]);
  assert.deepEqual(idsOf(LIST, 'device=eth'), []);
  /* "in" is a word, too. */
  assert.deepEqual(idsOf(LIST, 'device=in'), []);
  const ends = makeFinding(5, { message: 'All of it is on eth9.' });
  assert.equal(filters.concerns(ends, 'eth9'), true);
});

test('the filter is what the address says, and nothing else', () => {
  const filter = filterOf('severity=warn&severity=loud&device=eth0&state=never&text=a%26b&id=7');
  assert.deepEqual([...filter.severities], ['warn']);
  assert.equal(filter.state, '');
  const address = addressOf('findings', filters.filterParameters(filter));
  assert.equal(address, '#findings?severity=warn&device=eth0&text=a%26b&id=7');
  assert.deepEqual(filters.parseFilter(parseAddress(address).parameters), filter);
  assert.equal(addressOf('findings', filters.filterParameters(filterOf('id=x'))), '#findings');
  assert.equal(filters.isFiltering(filterOf('id=7')), false);
  assert.equal(filters.isFiltering(filterOf('text=x')), true);
});

test('counts of severities leave out only the choice of severities', () => {
  assert.deepEqual(filters.severityCounts(LIST, filterOf('severity=crit&state=active')),
    { crit: 0, warn: 2, info: 1 });
});

test('past ones are grouped by day, newest first', () => {
  const list = past(30);
  const days = filters.daysOf([...list].reverse());
  assert.equal(days.reduce((n, day) => n + day.findings.length, 0), 30);
  const order = days.flatMap((day) => day.findings.map((f) => f.raised_ms));
  assert.deepEqual(order, [...order].sort((a, b) => b - a));
  for (const day of days)
    assert.equal(new Set(day.findings.map((f) => new Date(f.raised_ms).toDateString())).size, 1);
});

test('the worst is first, then the newest', () => {
  const list = [makeFinding(1, { raised_ms: 1 }), makeFinding(2, { raised_ms: 2 }), linkFinding(3)];
  assert.deepEqual(list.sort(words.byUrgency).map((f) => f.id), [3, 2, 1]);
});

test('every rule and metric the page knows is one of the daemon', async () => {
  const rules = new URL('daemon/analysis/rules/', root);
  const sources = (await readdir(rules)).filter((name) => name.endsWith('.c'));
  const codes = (await Promise.all(sources.map((name) => readFile(new URL(name, rules), 'utf8'))))
    .flatMap((text) => [...text.matchAll(/\.code = "([^"]+)"/g)].map((m) => m[1]));
  assert.ok(codes.length > 30);
  const table = await readFile(new URL('daemon/model/metric.h', root), 'utf8');
  const text = await readFile(join(dir, 'findings/evidence.js'), 'utf8');
  const known = [...text.matchAll(/^ {2}'([a-z]+\.[a-z_]+)':/gm)].map((m) => m[1]);
  assert.ok(known.length > 20);
  for (const code of known)
    assert.ok(codes.includes(code), code);
  const subjects = [{ kind: 'host' }, { kind: 'core', core: 0 }, { kind: 'irq', irq: '9' },
    { kind: 'interface', device: 'eth0' },
    { kind: 'queue', device: 'eth0', queue: 1, direction: 'tx' }];
  for (const code of codes) {
    for (const subject of subjects) {
      const charts = chartsOf({ code, subject });
      assert.ok(charts.length > 0 && charts.length <= 3, code + ' of a ' + subject.kind);
      for (const { metric } of charts.flatMap((chart) => chart.asks))
        assert.ok(table.includes('"' + metric + '"'), metric);
    }
  }
});

test('a rule that is not known is shown by what it is of', () => {
  const metrics = (subject) => chartsOf({ code: 'new.rule', subject })
    .flatMap((chart) => chart.asks.map((one) => one.metric));
  assert.ok(metrics({ kind: 'core', core: 1 }).includes('core_packet_load_ratio'));
  assert.ok(metrics({ kind: 'queue', device: 'eth0', queue: 1 }).includes('queue_packets'));
  assert.ok(metrics({ kind: 'interface', device: 'eth0' }).includes('interface_bytes'));
  assert.ok(metrics({ kind: 'irq', irq: '4' }).includes('irq_interrupts'));
  assert.ok(metrics(undefined).includes('core_packet_load_ratio'));
});

test('a machine of very many cores is asked only for the one', () => {
  const ask = (cores) => chartsOf(makeFinding(1), { cores, speedOf: () => null })[0].asks[0].labels;
  assert.deepEqual(ask(64), {});
  assert.deepEqual(ask(1152), { cpu: '3' });
});

test('the window has a time before, and an end that is not ahead of now', () => {
  const now = 1e12;
  const at = (f) => {
    const { fromMs, toMs } = windowOf(f, now);
    return [fromMs - f.raised_ms, toMs - (f.cleared_ms || now)];
  };
  assert.deepEqual(at({ raised_ms: now - 10000, cleared_ms: null }), [-60000, 0]);
  assert.deepEqual(at({ raised_ms: now - 400000, cleared_ms: now - 300000 }), [-60000, 60000]);
  assert.deepEqual(at({ raised_ms: now - 20000, cleared_ms: now - 10000 }), [-60000, 10000]);
  assert.deepEqual(at({ raised_ms: now - 5e6, cleared_ms: now - 1e6 }), [-1e6, 1e6]);
  assert.deepEqual(at({ raised_ms: now - 9e9, cleared_ms: null }), [-6 * 3600000, 0]);
});

test('its link to history is read there as the same metrics and time', () => {
  const f = linkFinding(1, { raised_ms: 1e12, cleared_ms: 1e12 + 60000 });
  const address = addressOf('history', historyParameters(f, 2e12));
  const { range, charts } = parseState(parseAddress(address).parameters);
  assert.deepEqual(range, { from: 1e12 - 60000, to: 1e12 + 120000 });
  assert.deepEqual(charts[1].lines.map((line) => [line.metric, line.labels.device[0],
    line.labels.direction[0]]), [['interface_bytes', 'eth2', 'rx'],
    ['interface_bytes', 'eth2', 'tx']]);
  assert.equal(charts.length, chartsOf(f).length);
});

/* times 1 s to n s; rows: [labels, values] */
const answer = (n, ...rows) => ({ time_ms: Array.from({ length: n }, (_, i) => 1000 * (i + 1)),
  series: rows.map(([labels, values]) => ({ labels, values })) });
const cpu = (i) => ({ cpu: String(i) });
const phases = ({ before, during, after: later }) => [before, during, later];

test('the core of a finding stands out, with its means before, during and after', () => {
  const chart = chartsOf(makeFinding(1))[0];
  const f = makeFinding(1, { raised_ms: 2000, cleared_ms: 4000 });
  const { lines } = linesOf(chart, [answer(6, [cpu(0), [0, 0, 0, 0, 0, 0]],
    [cpu(3), [0.25, 0.25, 1, 0.5, null, null]])], f);
  assert.deepEqual(lines.map((l) => l.label), ['core 3', 'core 0']);
  assert.deepEqual(phases(lines[0]), [0.25, 0.75, null]);
  assert.deepEqual(phases(lines[1]), [0, 0, 0]);
  assert.notEqual(lines[0].color, lines[1].color);
});

test('many others become their highest and their mean; without a core the highest leads', () => {
  const chart = chartsOf({ code: 'core.saturated_all', subject: { kind: 'host' } })[0];
  const rows = [0.1, 0.2, 0.9, 0.3, 0.4].map((v, i) => [cpu(i), [v, v]]);
  const { lines } = linesOf(chart, [answer(2, ...rows)], { raised_ms: 0, cleared_ms: null });
  assert.deepEqual(lines.map((l) => l.label),
    ['core 2', 'highest of the other 4', 'mean of the other 4']);
  assert.equal(lines[1].during, 0.4);
  assert.equal(lines[2].during.toFixed(3), '0.250');
  assert.equal(lines[0].before, null);
});

test('throughput is bit/s, against the line rate where it is known', () => {
  const f = linkFinding(1, { code: 'link.line_rate', raised_ms: 0 });
  const [chart] = chartsOf(f, { cores: 4, speedOf: () => 1e9 });
  const one = (direction, v) => answer(2, [{ device: 'eth2', direction }, [v, v]]);
  const { lines } = linesOf(chart, [one('rx', 1e6), one('tx', 2e6)], f);
  assert.deepEqual(lines.map((l) => [l.label, l.during]),
    [['in', 8e6], ['out', 16e6], ['line rate', 1e9]]);
});

test('losses are counted, and counters that stand still are left out', () => {
  const f = linkFinding(1, { raised_ms: 10000, cleared_ms: 20000 });
  const chart = chartsOf(f)[0];
  const values = (v) => Array.from({ length: 30 }, (_, i) => i >= 10 && i < 20 ? v : 0);
  const label = { device: 'eth2', direction: 'rx' };
  const none = answer(30);
  const { lines } = linesOf(chart,
    [answer(30, [label, values(0.5)]), answer(30, [label, values(0)]), none, none], f);
  assert.deepEqual(lines.map((l) => [l.label, ...phases(l)]), [['wrong checksum', 0, 5, 0]]);
  assert.equal(linesOf(chart, [none, none, none, none], f), null);
});

test('a band is asked for what is one series, and stands at its times', () => {
  const chart = { who: (l) => 'core ' + l.cpu, own: (l) => l.cpu === '2', factor: 2,
    asks: [{ metric: 'm', labels: {} }] };
  const f = { raised_ms: 0, cleared_ms: null };
  const cores = (n) => answer(3, ...[Array.from({ length: n }, (_, cpu) =>
    [{ cpu: String(cpu) }, [1, 2, 3]])].flat());
  for (const n of [3, 9]) {
    const found = linesOf(chart, [cores(n)], f);
    assert.deepEqual(bandsOf(chart, found.lines).map((b) => [b.line, b.question]),
      [[found.lines[0], { metric: 'm', labels: { cpu: '2' } }]]);
    assert.deepEqual(edgeOf({ time_ms: [1000, 3000], series: [{ labels: {}, values: [4, null] }] },
      found.times, chart.factor), [8, undefined, null]);
    assert.equal(edgeOf({ time_ms: [], series: [] }, found.times, 1), null);
  }
});

test('series of other moments keep their own points', () => {
  const f = { raised_ms: 0, cleared_ms: null };
  const chart = { asks: [{ name: 'a' }, { name: 'b' }] };
  const slow = { time_ms: [2500], series: [{ labels: {}, values: [7] }] };
  const { times, lines } = linesOf(chart, [answer(3, [{}, [1, null, 3]]), slow], f);
  assert.deepEqual(times, [1000, 2000, 2500, 3000]);
  assert.deepEqual(lines[0].values, [1, null, undefined, 3]);
  assert.deepEqual(lines[1].values, [undefined, undefined, 7, undefined]);
});

test('the whole list follows the stream, and says when it does not fit', () => {
  const known = new Known();
  known.replace([makeFinding(1), makeFinding(2, { cleared_ms: 5 })]);
  assert.equal(known.follow([makeFinding(1, { cleared_ms: 9 }), makeFinding(3)]), true);
  assert.equal(known.get(1).cleared_ms, 9);
  assert.equal(known.all.length, 3);
  /* Older news of the same. */
  known.follow([makeFinding(1), makeFinding(3)]);
  assert.equal(known.get(1).cleared_ms, 9);
  /* It came back: the same with one more episode. */
  known.follow([makeFinding(1, { episodes: 2 }), makeFinding(3)]);
  assert.equal(known.get(1).cleared_ms, null);
  assert.equal(known.follow([makeFinding(1, { episodes: 2 })]), false);
});

test('a finding is told in a few words', () => {
  const now = new Date(2026, 5, 3, 12, 0, 0).getTime();
  const at = (day, h, m) => new Date(2026, 5, day, h, m, 0).getTime();
  const when = (raised, cleared) =>
    plain(words.whenText({ raised_ms: raised, cleared_ms: cleared }, now));
  assert.match(when(at(3, 11, 0), null), /^since 11:00:00$/);
  assert.match(when(at(3, 11, 0), at(3, 11, 5)), /^11:00:00 to 11:05:00$/);
  assert.match(when(at(1, 11, 0), at(1, 11, 5)), /^\D*1\D* 11:00:00 to 11:05:00$/);
  assert.match(when(at(1, 23, 59), at(2, 0, 5)), /^\D*1\D* 23:59:00 to \D*2\D* 00:05:00$/);
  assert.equal(words.subjectText({ device: 'eth0', queue: 2, direction: 'rx' }),
    'eth0 rx queue 2');
  assert.equal(words.subjectText({ kind: 'host' }), '');
  assert.match(words.confidenceText('medium'), /^medium confidence: the effect is certain/);
  assert.equal(words.confidenceText('odd'), 'odd confidence');
});

test('quiet is said since when', () => {
  const store = { nowMs: 1e12, health: null };
  assert.equal(say.quietText([], false, store), 'No findings.');
  const healthy = { ...store, health: { uptime_s: 60, store: { oldest_ms: null } } };
  assert.match(say.quietText([], false, healthy),
    /^No findings\. Quiet since .*\d\d:\d\d:\d\d, when the daemon started/);
  const ended = makeFinding(1, { cleared_ms: 1e12 - 7500000 });
  assert.match(plain(say.quietText([ended], false, store)),
    /^Nothing stands\. Quiet for 2 h 5 min/);
});

test('a finding raised while the page is open is announced once, what stood is not', () => {
  const spoken = [];
  const region = { firstChild: null, lastChild: null, get textContent() { return ''; },
    set textContent(text) { spoken.push(text); } };
  globalThis.Node ??= { TEXT_NODE: 3 };
  const tellOf = announcer(region);
  const store = { sampledMs: null, active: [makeFinding(1, { raised_ms: 900 })] };
  tellOf(store);
  store.sampledMs = 1000;
  tellOf(store);
  assert.deepEqual(spoken, []);
  store.active = [...store.active, makeFinding(2, { raised_ms: 1500 })];
  tellOf(store);
  tellOf(store);
  assert.deepEqual(spoken, ['New warning: One core does the packet work, core 3']);
});
