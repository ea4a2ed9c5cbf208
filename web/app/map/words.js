/* SPDX-License-Identifier: ISC */
/*
 * The map in words: the sentence that says who feeds the hottest core, and the
 * reading of a box: what it is, what goes through it, how it is set. Pure.
 */

import { bits, count, decimal, isKnown, lineRate, packets, percent, ranges, rate }
  from '../format.js';
import { settingValue } from '../settings.js';
import { byWeight, feedsOf } from './feeds.js';
import { sumKnown } from './graph.js';
import { lineNote, withoutCounters } from './layout.js';

/* A core below this is not worth a sentence of who feeds it. */
export const HOT = 0.1;
const FEEDS_TOLD = 4;
const LONG = 90;

const WAYS = { rx: 'receive', tx: 'transmit' };

export function clockText(core) {
  if (!isKnown(core.freq_hz))
    return null;
  const of = isKnown(core.freq_max_hz) ? ' of ' + decimal(core.freq_max_hz / 1e9, 2) : '';
  return decimal(core.freq_hz / 1e9, 2) + of + '\u00a0GHz';
}

/* "1.40 GHz" */
export function clockShort(core) {
  return isKnown(core.freq_hz) ? decimal(core.freq_hz / 1e9, 2) + '\u00a0GHz' : '';
}

export function rowName(row) {
  if (row.isWhole)
    return row.device.device + ' all queues';
  return row.device.device + (row.rx && row.tx ? ' queue ' : ' ') + row.name;
}

/* "eth0 rx 0" */
export function feedName({ row, direction }) {
  if (row.isWhole)
    return row.device.device + (direction ? ' ' + direction : '');
  return row.device.device + ' ' + (direction ?? 'queue') + ' ' + row.name.replace(/^[rt]x /, '');
}

const interrupts = (ps) => count(ps) + '\u00a0interrupts/s';

export function feedFigure({ pps, ps, isSteered }) {
  const figure = isKnown(pps) ? packets(pps) : isKnown(ps) ? interrupts(ps) : '';
  return isSteered ? [figure, 'by RPS'].filter((part) => part !== '').join(' ') : figure;
}

/* Queues of an interface and a direction told together: "eth0 rx 0 to 3". */
function togetherOf(feeds) {
  const groups = new Map();
  for (const feed of feeds) {
    const { row, direction, isSteered } = feed;
    const key = row.device.key + ' ' + (direction ?? '') + isSteered + Boolean(row.isWhole);
    groups.set(key, [...groups.get(key) ?? [], feed]);
  }
  const together = [...groups.values()].map((list) => {
    const [{ row, direction, isSteered }] = list;
    const numbers = list.map((f) => f.row.name.replace(/^[rt]x /, ''));
    return { row: { ...row, name: row.isWhole ? row.name : ranges(numbers) }, direction, isSteered,
      pps: sumKnown(list.map((f) => f.pps)), ps: sumKnown(list.map((f) => f.ps)) };
  });
  return together.sort(byWeight);
}

/* "eth0 rx 0 (80 kpps), eth1 rx 0 (12 kpps) and 3 more"; '' when nobody does. */
export function feedsText(feeds, most = FEEDS_TOLD) {
  const all = togetherOf(feeds);
  const told = all.slice(0, most).map((feed) => {
    const figure = feedFigure(feed);
    return feedName(feed) + (figure === '' ? '' : ' (' + figure + ')');
  });
  const more = all.length - told.length;
  return told.join(', ') + (more > 0 ? ' and ' + more + ' more' : '');
}

/* The core the map emphasises, or null: nothing is going on. */
export function hotCore(graph) {
  const core = graph.hottest;
  return core !== null && core.packet_load >= HOT ? core : null;
}

export function summaryText(graph) {
  const core = graph.hottest;
  if (core === null || !isKnown(core.packet_load))
    return 'The packet load of the cores is not known yet.';
  const load = percent(core.packet_load);
  if (core.packet_load < HOT)
    return 'No core is busy with packets: the hottest, core ' + core.core + ', is at ' + load + '.';
  const feeds = feedsOf(graph, core.core);
  const start = 'Core ' + core.core + (graph.isTie ? ', one of the hottest' : ', the hottest')
    + ' at ' + load + ', is ';
  if (feeds.length === 0) {
    return start + 'fed by no queue of an interface: its packet work comes from software devices, '
      + 'other cores or threads.';
  }
  return start + 'fed by ' + feedsText(feeds) + '.';
}

function shorten(text) {
  return text.length > LONG ? text.slice(0, LONG - 1) + '\u2026' : text;
}

/* [label, value] of the settings that are there. */
function facts(settings, list) {
  return list.map(([label, read]) => [label, typeof read === 'function' ? read(settings)
    : settings[read] === undefined ? null : settingValue(read, settings[read])])
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([label, value]) => [label, shorten(value)]);
}

const ofMost = (name) => (s) => s[name] === undefined ? null
  : s[name] + (s[name + '_max'] === undefined ? '' : ' of ' + s[name + '_max']);

const held = (way) => (s) => {
  if (s['coalesce_adaptive_' + way] === 'on')
    return 'adaptive';
  const parts = ['usecs', 'frames'].map((unit) => 'coalesce_' + way + '_' + unit)
    .filter((name) => s[name] > 0 && !(name.endsWith('frames') && s[name] === '1'))
    .map((name) => settingValue(name, s[name]));
  return parts.length > 0 ? parts.join(' or ')
    : s['coalesce_' + way + '_usecs'] === undefined ? null : 'not held back';
};

const DEVICE_FACTS = [
  ['channels', ofMost('channels_combined')], ['receive channels', ofMost('channels_rx')],
  ['transmit channels', ofMost('channels_tx')],
  ['receive ring', ofMost('ring_rx')], ['transmit ring', ofMost('ring_tx')],
  ['receive interrupts', held('rx')], ['transmit interrupts', held('tx')],
  ['NAPI in threads', 'threaded'], ['queueing discipline', 'qdisc'],
  ['RSS table', 'rss_table'], ['RSS hash', 'rss_hash'], ['MTU', 'mtu'],
  ['pause obeyed', 'pause_rx'], ['pause sent', 'pause_tx'], ['offloads', 'offloads'],
];

function trafficText(thing) {
  const parts = [];
  for (const [direction, words] of [['rx', 'in'], ['tx', 'out']]) {
    if (isKnown(thing[direction + '_pps']))
      parts.push(words + ' ' + packets(thing[direction + '_pps']));
  }
  return parts.join(', ');
}

function deviceReading(device) {
  const about = [device.driver ?? device.kind ?? 'kind not known',
    isKnown(device.speed_bps) ? lineRate(device.speed_bps) : '',
    device.up === false ? 'link down' : '', trafficText(device), lineNote(device) ?? '',
    countersText(device)];
  return { title: device.device, text: about.filter((part) => part !== '').join(', '),
    facts: facts(device.settings, DEVICE_FACTS) };
}

function countersText({ counters, queues }) {
  if (!counters || queues.length === 0)
    return '';
  if (queues.every((q) => q.isOfDevice || !isKnown(q.pps)))
    return withoutCounters(counters);
  return 'queues counted by ' + counters.source
    + (counters.pace_s > 1 ? ', every ' + counters.pace_s + ' s' : '');
}

function wayText(q, direction) {
  if (!q)
    return '';
  if (!isKnown(q.pps))
    return WAYS[direction] + ' not counted';
  const parts = [WAYS[direction] + ' ' + packets(q.pps)];
  if (isKnown(q.bps))
    parts.push(bits(q.bps));
  if (isKnown(q.share))
    parts.push(percent(q.share) + ' of the interface');
  if (q.drops_pps > 0)
    parts.push('dropping ' + rate(q.drops_pps));
  return parts.join(', ') + (q.isOfDevice ? ' (counted for the interface)' : '');
}

function threadText(thread) {
  return thread.name + (isKnown(thread.core) ? ' on core ' + thread.core : '')
    + (isKnown(thread.load) ? ', ' + percent(thread.load) : '');
}

function rowReading(row, graph) {
  const ways = [wayText(row.rx, 'rx'), wayText(row.tx, 'tx')].filter((part) => part !== '');
  const irq = graph.irqs.get(row.irq);
  const rx = row.rx?.settings ?? {};
  const tx = row.tx?.settings ?? {};
  const list = [];
  for (const thread of row.thread ? [row.thread] : row.device.pollers)
    list.push(['thread', threadText(thread)]);
  list.push(...facts(rx, [['RPS cores', 'rps_cpus'], ['RFS flows', 'rps_flow_cnt']]),
    ...facts(tx, [['XPS cores', 'xps_cpus'], ['XPS receive queues', 'xps_rxqs']]),
    ...facts(row.device.settings, [['receive ring', row.rx ? ofMost('ring_rx') : () => null],
      ['transmit ring', row.tx ? ofMost('ring_tx') : () => null]]));
  if (irq !== undefined)
    list.unshift(['interrupt', irq.irq + ' on ' + coresText(irq)]);
  return { title: rowName(row), text: ways.join('; '), facts: list };
}

function coresText(irq) {
  const cores = [...irq.last.keys()];
  if (cores.length === 0)
    return irq.effective_affinity ? 'core ' + irq.effective_affinity + ' (has not fired)'
      : 'no core yet';
  return (cores.length === 1 ? 'core ' : 'cores ') + cores.join(', ');
}

function irqReading(irq, graph) {
  const parts = [(irq.actions ?? []).join(', '),
    isKnown(irq.rate_ps) ? interrupts(irq.rate_ps) : '',
    isKnown(irq.pps) ? packets(irq.pps) : ''];
  if (irq.cells.size === 0 && irq.pps >= 1)
    parts.push('no interrupt in the last sample: polled');
  const list = [['fires on', coresText(irq)]];
  if (irq.affinity)
    list.push(['affinity wanted', irq.affinity]);
  if (irq.effective_affinity)
    list.push(['affinity effective', irq.effective_affinity]);
  list.push(['serves', irq.rows.map(rowName).join(', ') || 'no queue'], ['controller', irq.chip],
    ['irqbalance', graph.host.irqbalance]);
  return { title: 'Interrupt ' + irq.irq, text: parts.filter((part) => part !== '').join(', '),
    facts: list.filter(([, value]) => value).map(([label, value]) => [label, shorten(value)]) };
}

function coreReading(core, graph) {
  const feeds = feedsText(feedsOf(graph, core.core), 6);
  const text = 'packet load ' + percent(core.packet_load) + ', busy ' + percent(core.busy)
    + (feeds === '' ? '; fed by no queue' : '; fed by ' + feeds);
  const list = [];
  if (clockText(core) !== null)
    list.push(['clock', clockText(core) + (core.freq_measured === false ? ', requested' : '')]);
  list.push(...facts(core.settings, [['governor', 'cpu_governor']]));
  if (isKnown(core.nic_interrupts_ps))
    list.push(['NIC interrupts', rate(core.nic_interrupts_ps)]);
  if (core.packet_threads > 0.005)
    list.push(['packet threads', percent(core.packet_threads)]);
  if (core.throttled_ps > 0)
    list.push(['throttled', rate(core.throttled_ps)]);
  for (const thread of core.threads.slice(0, 4))
    list.push([thread.class === 'user' ? 'process' : 'thread', thread.name
      + (isKnown(thread.load) ? ', ' + percent(thread.load) : '')]);
  if (core.eligible === false)
    list.push(['judged', 'no: offline, isolated, reserved or owned by a polling process']);
  return { title: 'Core ' + core.core, text, facts: list };
}

/* "+112 idle", "+12 more, 340 pps" */
export function foldText(box) {
  const n = box.item.length;
  if (box.folds === 'others')
    return n === 1 ? '1 other' : n + ' others';
  if (box.folds === 'cores') {
    const most = Math.max(...box.item.map((c) => c.packet_load ?? 0));
    return '+' + n + (most < 0.05 ? ' idle' : ' below ' + percent(most + 0.005));
  }
  if (box.isLines)
    return '+' + n + ' lines';
  const pps = box.item.reduce((a, row) => a + (row.pps ?? 0), 0);
  return '+' + n + (box.item.every((row) => row.state === 'idle') ? ' idle'
    : ' more, ' + packets(pps));
}

const FOLDED = {
  others: ['Interfaces without traffic', (d) => d.device + (d.up === false ? ' (link down)' : '')],
  cores: ['Cores', (c) => String(c.core)],
  lines: ['Interrupts', (irq) => irq.irq],
  rows: ['Queues', (row) => row.name],
};

function foldReading({ folds, isLines, item }) {
  const [title, nameOf] = FOLDED[isLines ? 'lines' : folds] ?? FOLDED.rows;
  return { title, text: shorten(item.map(nameOf).join(', ')) + '. Press to show them.', facts: [] };
}

const READINGS = {
  device: (box) => deviceReading(box.item),
  row: (box, graph) => rowReading(box.item, graph),
  irq: (box, graph) => irqReading(box.item, graph),
  core: (box, graph) => coreReading(box.item, graph),
  fold: (box) => foldReading(box),
};

/* { title, text, facts: [[label, value]] } of a box of the layout. */
export function reading(box, graph) {
  return READINGS[box.kind](box, graph);
}
