/* SPDX-License-Identifier: ISC */
/*
 * The queues of one interface: a bar each, so that an uneven hash is seen, and
 * behind it the figures.
 */

import { el, keyedRows, setAttribute, setChildren, setFigure, setHidden, setStyle, setText }
  from '../dom.js';
import { isKnown, packets, percent, rate } from '../format.js';

/* More bars than this say no more. */
const BARS_MAX = 32;
const ROWS_MAX = 16;
/* How next to nothing spreads says nothing. */
const TOLD_FROM_PPS = 10;

const WAYS = [['rx', 'in'], ['tx', 'out']];

function makeBars(direction) {
  const node = el('span', { class: 'queue-bars queue-' + direction, 'aria-hidden': 'true' });
  const bars = [];
  const update = (queues) => {
    while (bars.length < queues.length)
      bars.push(el('span', { class: 'queue-bar' }));
    setChildren(node, bars.slice(0, queues.length));
    const most = Math.max(...queues.map((q) => q.share ?? 0));
    for (const [i, { share }] of queues.entries())
      setStyle(bars[i], '--share', (most > 0 ? (share ?? 0) / most : 0).toFixed(3));
    setAttribute(node, 'data-many', queues.length > 8 ? '' : null);
  };
  return { node, update };
}

function makeRow() {
  const name = el('th', { scope: 'row' });
  const cells = Object.fromEntries(['rx', 'rxShare', 'tx', 'txShare', 'drops'].map((n) =>
    [n, el('td', { class: n.endsWith('Share') ? 'queue-share' : null })]));
  const update = ({ queue, rx, tx }) => {
    setText(name, String(queue));
    for (const [direction, q] of [['rx', rx], ['tx', tx]]) {
      setFigure(cells[direction], q ? packets(q.pps) : '');
      setText(cells[direction + 'Share'], q && isKnown(q.share) ? percent(q.share) : '');
    }
    const drops = [rx, tx].map((q) => q?.drops_pps).filter(isKnown);
    setFigure(cells.drops, drops.length > 0 ? rate(drops.reduce((a, b) => a + b, 0)) : null);
    setAttribute(cells.drops, 'data-lossy', drops.some((v) => v > 0) ? '' : null);
  };
  return { node: el('tr', {}, name, ...Object.values(cells)), update };
}

/* One of each number, both directions; of many the busiest. */
function pairsOf(queues) {
  const pairs = new Map();
  for (const q of queues)
    pairs.set(q.queue, { queue: q.queue, ...pairs.get(q.queue), [q.direction]: q });
  const weight = ({ rx, tx }) => (rx?.pps ?? 0) + (tx?.pps ?? 0);
  return [...pairs.values()].sort((a, b) => weight(b) - weight(a)).slice(0, ROWS_MAX)
    .sort((a, b) => a.queue - b.queue);
}

function busiestText(queues, words) {
  const busiest = queues.reduce((a, b) => (b.share ?? 0) > (a.share ?? 0) ? b : a);
  return isKnown(busiest.share) ? 'busiest ' + words + ' ' + busiest.queue + ', '
    + percent(busiest.share) : '';
}

export function nicQueues() {
  const bars = WAYS.map(([direction]) => makeBars(direction));
  const text = el('span', { class: 'muted' });
  const body = el('tbody', {});
  const more = el('p', { class: 'muted', hidden: true });
  const head = ['queue', 'in', '', 'out', '', 'drops'].map((word) =>
    el('th', { scope: 'col' }, word));
  const node = el('details', { class: 'nic-queues', hidden: true },
    el('summary', {}, el('span', { class: 'nic-word' }, 'queues'),
      ...bars.map((b) => b.node), text),
    el('table', {}, el('thead', {}, el('tr', {}, ...head)), body), more);
  const rows = keyedRows(body, (pair) => pair.queue, makeRow);

  const update = (queues, nic) => {
    const byWay = WAYS.map(([direction]) => queues.filter((q) => q.direction === direction));
    const isTold = byWay.some((list) => list.length > 1) && queues.some((q) => isKnown(q.pps))
      && (node.open || nic.rx_pps >= TOLD_FROM_PPS || nic.tx_pps >= TOLD_FROM_PPS);
    setHidden(node, !isTold);
    if (!isTold)
      return;
    for (const [i, list] of byWay.entries()) {
      bars[i].update(list.slice(0, BARS_MAX));
      setHidden(bars[i].node, list.length < 2);
    }
    const told = WAYS.map(([, words], i) =>
      byWay[i].length > 1 ? busiestText(byWay[i], words) : '');
    setText(text, told.filter((t) => t !== '').join('; '));
    if (!node.open)
      return;
    rows(pairsOf(queues));
    const n = new Set(queues.map((q) => q.queue)).size;
    setHidden(more, n <= ROWS_MAX);
    setText(more, 'The busiest ' + ROWS_MAX + ' of ' + n + '.');
  };
  return { node, update };
}
