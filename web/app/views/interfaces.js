/* SPDX-License-Identifier: ISC */
/*
 * Interfaces: throughput in and out against the line rate, packets, drops.
 * Those that are down are folded, loopback stands last and back.
 */

import { el, keyedRows, setAttribute, setFigure, setHidden, setStyle, setText } from '../dom.js';
import { bits, isKnown, lineRate, packets, percent, rate } from '../format.js';
import { onPaletteChange, palette } from '../palette.js';
import { paintSparkline } from '../sparkline.js';
import { SPAN_MS } from '../store.js';

/* Losses: [words, value]. What a device reports as missed stands for the ring
 * as long as its driver's own counters are not read. */
const LOSSES = [
  ['on the wire', (nic) => nic.drops?.wire_pps],
  ['in the ring', (nic) => nic.drops?.ring_pps ?? nic.rx_missed_pps],
  ['in the queueing discipline', (nic) => nic.drops?.qdisc_pps],
  ['when sending', (nic) => nic.drops?.tx_pps ?? nic.tx_dropped_pps],
  ['not attributed', (nic) => nic.drops?.unattributed_pps],
];

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
  const [rx, tx] = [directionCell('rx', 'in'), directionCell('tx', 'out')];
  const trace = el('canvas', { class: 'trace', 'aria-hidden': 'true' });
  const node = el('li', { class: 'nic' }, el('div', { class: 'nic-head' }, name,
    el('p', { class: 'muted nic-about' }, about, ', ', drops)), trace, rx.node, tx.node);
  const update = (nic, store) => {
    setText(name, nic.device);
    setAttribute(node, 'data-kind', nic.kind === 'loopback' ? 'loopback' : null);
    setText(about, aboutText(nic));
    rx.update(nic);
    tx.update(nic);
    setDrops(drops, nic);
    const to = store.traffic.newest ?? store.nowMs;
    const colors = palette();
    paintSparkline(trace, store.traffic.points,
      [['rx ' + nic.device, colors.rx], ['tx ' + nic.device, colors.tx]],
      { from: to - SPAN_MS, to, intervalMs: store.intervalMs });
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

/* rx_dropped also counts what nobody here wanted, so it is told and not called
 * a loss. */
function setDrops(node, nic) {
  const values = LOSSES.map(([words, read]) => [words, read(nic)]);
  const lost = values.filter(([, v]) => v > 0).map(([words, v]) => rate(v) + ' ' + words);
  const texts = [];
  if (lost.length > 0)
    texts.push('losing ' + lost.join(', '));
  if (nic.errors_pps > 0)
    texts.push(rate(nic.errors_pps) + ' with errors');
  if (nic.rx_dropped_pps > 0)
    texts.push(rate(nic.rx_dropped_pps) + ' discarded, perhaps of unknown protocols');
  if (texts.length === 0)
    texts.push(values.some(([, v]) => isKnown(v)) ? 'no drops' : 'drops not known');
  setText(node, texts.join(', '));
  setAttribute(node, 'data-lossy', lost.length > 0 ? '' : null);
}

export function interfacesView(panel) {
  const up = el('ul', { class: 'nics' });
  const down = el('p', { class: 'nics-down muted', hidden: true });
  const empty = el('p', { class: 'muted' }, 'No interfaces seen yet.');
  panel.append(
    el('div', { class: 'panel-head' }, el('h2', { id: 'interfaces-title' }, 'Interfaces')),
    up, empty, down);
  const rows = keyedRows(up, (nic) => nic.device, makeRow);
  let last = null;
  const render = (store) => {
    last = store;
    const sorted = [...store.interfaces].sort(order);
    const isDown = (nic) => nic.up === false;
    rows(sorted.filter((nic) => !isDown(nic)), store);
    const names = sorted.filter(isDown).map((nic) => nic.device);
    setHidden(empty, store.interfaces.length > 0);
    setHidden(down, names.length === 0);
    setText(down, 'Link down: ' + names.join(', '));
  };
  onPaletteChange(() => last && render(last));
  return render;
}
