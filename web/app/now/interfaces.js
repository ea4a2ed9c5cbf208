/* SPDX-License-Identifier: ISC */
/*
 * Interfaces: throughput in and out against the line rate, packets, where
 * packets are lost, and how they spread over the queues. Those that are down are
 * folded, of many the software ones without traffic as well; loopback stands last.
 */

import { el, keyedRows, setAttribute, setFigure, setHidden, setStyle, setText } from '../dom.js';
import { bits, isKnown, lineRate, packets, percent, ranges, rate } from '../format.js';
import { onPaletteChange, palette } from '../palette.js';
import { paintSparkline, watchSize } from '../sparkline.js';
import { SPAN_MS } from '../store.js';
import { nicQueues } from './nicqueues.js';
import { waitingText } from './waiting.js';

/* Where packets are lost, on their way: [words, value, what it means]. What a
 * device reports as missed stands for the ring as long as its driver's own counters
 * are not read. */
const STAGES = [
  ['wire', (nic) => nic.drops?.wire_pps, 'damaged on the wire'],
  ['ring', (nic) => nic.drops?.ring_pps ?? nic.rx_missed_pps,
    'no room in the receive ring: the core was too slow'],
  ['qdisc', (nic) => nic.drops?.qdisc_pps, 'dropped by the queueing discipline'],
  ['sending', (nic) => nic.drops?.tx_pps ?? nic.tx_dropped_pps,
    'dropped by the driver when sending'],
  ['unattributed', (nic) => nic.drops?.unattributed_pps, 'counted as lost, but not where'],
];

const FOLD_FROM = 9;
/* Without traffic: below this for a while. */
const QUIET_PPS = 1;
const QUIET_MS = 60000;

function order(a, b) {
  return (a.kind === 'loopback') - (b.kind === 'loopback') || a.ifindex - b.ifindex;
}

function directionCell(direction, words) {
  const fill = el('span', { class: 'fill fill-' + direction });
  const track = el('span', { class: 'track', 'aria-hidden': 'true' }, fill);
  const [bps, share, pps] = ['bps', 'share', 'pps'].map((name) =>
    el('span', { class: 'nic-' + name }));
  const node = el('div', { class: 'nic-way nic-' + direction },
    el('span', { class: 'nic-word' }, words), bps, pps, track, share);
  const update = (nic) => {
    const used = nic[direction + '_utilization'];
    setFigure(bps, bits(nic[direction + '_bps']));
    setFigure(pps, packets(nic[direction + '_pps']));
    setAttribute(track, 'data-known', isKnown(used) ? '' : null);
    setStyle(fill, 'width', Math.min(1, used ?? 0) * 100 + '%');
    setText(share, isKnown(used) ? percent(used) : '');
  };
  return { node, update };
}

function makeRow() {
  const name = el('h3', {});
  const about = el('span', {});
  const drops = el('span', { class: 'nic-drops' });
  const stages = stageRow();
  const queues = nicQueues();
  const [rx, tx] = [directionCell('rx', 'in'), directionCell('tx', 'out')];
  const trace = el('canvas', { class: 'trace', 'aria-hidden': 'true' });
  const node = el('li', { class: 'nic' }, el('div', { class: 'nic-head' }, name,
    el('p', { class: 'muted nic-about' }, about, drops)), trace, rx.node, tx.node, stages.node,
  queues.node);
  queues.node.addEventListener('toggle', () => queues.update(...own));
  let own = [[], {}];
  let paint = () => {};
  const size = watchSize(trace, () => paint());
  const update = (nic, store) => {
    setText(name, nic.device);
    setAttribute(node, 'data-kind', nic.kind === 'loopback' ? 'loopback' : null);
    setText(about, aboutText(nic));
    rx.update(nic);
    tx.update(nic);
    setText(drops, lossText(nic));
    stages.update(nic);
    own = [store.queues.filter((q) => q.device === nic.device), nic];
    queues.update(...own);
    paint = () => {
      const to = store.traffic.newest ?? store.nowMs;
      const colors = palette();
      paintSparkline(trace, size, store.traffic.points,
        [['rx ' + nic.device, colors.rx], ['tx ' + nic.device, colors.tx]],
        { from: to - SPAN_MS, to, intervalMs: store.intervalMs });
    };
    paint();
  };
  return { node, update };
}

function aboutText(nic) {
  const words = [nic.driver ?? nic.kind ?? 'kind not known'];
  if (nic.driver && nic.kind && nic.kind !== 'physical' && nic.kind !== nic.driver)
    words.push(nic.kind);
  if (isKnown(nic.speed_bps))
    words.push(lineRate(nic.speed_bps) + (nic.duplex === 'half' ? ' half duplex' : ''));
  else if (nic.kind !== 'loopback')
    words.push('line rate unknown');
  if (isKnown(nic.rx_queues) && nic.kind === 'physical')
    words.push(nic.rx_queues === 1 ? '1 receive queue' : nic.rx_queues + ' receive queues');
  return words.join(', ');
}

function stageRow() {
  const parts = STAGES.map(([words, read, title]) => {
    const value = el('span', {});
    const node = el('span', { class: 'stage', title }, words + ' ', value);
    return { node, value, read };
  });
  const node = el('div', { class: 'nic-stages' }, el('span', { class: 'nic-word' }, 'lost'),
    ...parts.map((p) => p.node));
  const update = (nic) => {
    setHidden(node, !isLossy(nic));
    for (const { node: part, value, read } of parts) {
      const ps = read(nic);
      setFigure(value, ps === 0 ? '0' : rate(ps));
      setAttribute(part, 'data-lossy', ps > 0 ? '' : null);
    }
  };
  return { node, update };
}

/* Stage by stage only where something is lost. */
function isLossy(nic) {
  return STAGES.some(([, read]) => read(nic) > 0);
}

/* rx_dropped also counts what nobody here wanted, so it is told and not called
 * a loss. */
function lossText(nic) {
  const texts = [];
  if (nic.errors_pps > 0)
    texts.push(rate(nic.errors_pps) + ' with errors');
  if (nic.rx_dropped_pps > 0)
    texts.push(rate(nic.rx_dropped_pps) + ' discarded, perhaps of unknown protocols');
  if (texts.length === 0 && !isLossy(nic))
    texts.push(STAGES.some(([, read]) => isKnown(read(nic))) ? 'no drops' : 'drops not known');
  return texts.map((text) => ', ' + text).join('');
}

/* Packets that wait for a core belong to no interface any more. */
function backlogText(cores) {
  const lost = (c) => c.softnet?.dropped_pps;
  if (!cores.some((c) => isKnown(lost(c))))
    return '';
  const lossy = cores.filter((c) => lost(c) > 0);
  if (lossy.length === 0)
    return 'Backlogs of the cores: no drops.';
  return 'Lost in the ' + (lossy.length === 1 ? 'backlog of core ' : 'backlogs of cores ')
    + ranges(lossy.map((c) => c.core)) + ': ' + rate(lossy.reduce((a, c) => a + lost(c), 0));
}

export function interfacesView(panel) {
  const up = el('ul', { class: 'nics' });
  const down = el('p', { class: 'nics-down muted', hidden: true });
  const empty = el('p', { class: 'muted' });
  const backlog = el('p', { class: 'nics-down muted' });
  const fold = el('button', { type: 'button', class: 'fold', hidden: true,
    click: () => { isOpen = !isOpen; if (last) render(last); } });
  panel.append(
    el('div', { class: 'panel-head' }, el('h2', { id: 'interfaces-title' }, 'Interfaces')),
    up, fold, empty, down, backlog);
  const rows = keyedRows(up, (nic) => nic.device, makeRow);
  const workedAt = new Map();
  let isOpen = false;
  let last = null;
  const render = (store) => {
    last = store;
    const sorted = [...store.interfaces].sort(order);
    const isDown = (nic) => nic.up === false;
    const listed = sorted.filter((nic) => !isDown(nic));
    for (const nic of listed) {
      if (nic.kind === 'physical' || nic.rx_pps >= QUIET_PPS || nic.tx_pps >= QUIET_PPS)
        workedAt.set(nic.device, store.sampledMs);
    }
    for (const name of workedAt.keys()) {
      if (!listed.some((nic) => nic.device === name))
        workedAt.delete(name);
    }
    const isQuiet = (nic) => !(store.sampledMs - workedAt.get(nic.device) < QUIET_MS);
    const shown = listed.length < FOLD_FROM || isOpen ? listed : listed.filter((n) => !isQuiet(n));
    rows(shown, store);
    const nFolded = listed.length - shown.length;
    setHidden(fold, listed.length < FOLD_FROM || (nFolded === 0 && !isOpen));
    setText(fold, isOpen ? 'Hide those without traffic' : 'Show ' + nFolded + ' without traffic');
    setAttribute(fold, 'aria-expanded', String(isOpen));
    const names = sorted.filter(isDown).map((nic) => nic.device);
    setHidden(empty, store.interfaces.length > 0);
    setText(empty, store.sampledMs > 0 ? 'No network interface is there.' : waitingText(store));
    const lost = backlogText(store.cores);
    setText(backlog, lost);
    setHidden(backlog, lost === '');
    setAttribute(backlog, 'data-lossy', lost.startsWith('Lost') ? '' : null);
    setHidden(down, names.length === 0);
    setText(down, 'Link down: ' + names.join(', '));
  };
  onPaletteChange(() => last && render(last));
  return render;
}
