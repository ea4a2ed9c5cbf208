/* SPDX-License-Identifier: ISC */
/*
 * One bar per core, the hottest first or by number. Below it who feeds the core and
 * which threads work on packets there. On big machines quiet cores are folded away
 * and the others stand closer.
 */

import { el, keyedRows, setAttribute, setFigure, setHidden, setStyle, setText } from '../dom.js';
import { isKnown, packets, percent, rate } from '../format.js';
import { choice } from './choice.js';
import { clockText, feedTexts, noteText, threadTexts } from './corewords.js';
import { Order } from './coreorder.js';
import { NOTHING, PARTS, shareOf } from './parts.js';
import { waitingText } from './waiting.js';

export const ORDERS = ['hottest', 'number'];

const LIMIT = 0.9;
/* A core at its limit whose clock is below this share of the highest. */
const SLOW_RATIO = 0.8;
const FOLD_FROM = 17;
/* A core counts as quiet below this, and stays on the page for a while. */
const QUIET_RATIO = 0.05;
const QUIET_MS = 60000;

function cell(name, ...children) {
  return el('span', { role: 'cell', class: 'cell-' + name }, ...children);
}

function makeRow() {
  const label = el('span', { role: 'rowheader', class: 'cell-name' });
  const segments = PARTS.map(([name]) => el('span', { class: 'seg seg-' + name }));
  const mark = el('span', { class: 'mark' });
  const bar = el('span', { class: 'bar', role: 'img' }, ...segments, mark);
  const note = el('span', { class: 'bar-note', title: 'Not counted when load is judged: offline, '
    + 'isolated, reserved or owned by a polling process' });
  const [load, busy, clock, irqs, pps] = ['load', 'busy', 'clock', 'irqs', 'pps']
    .map((name) => cell(name));
  const [feeds, threads] = [el('span', {}), el('span', {})];
  const fed = cell('fed', feeds, threads);
  const node = el('div', { role: 'row', class: 'core' },
    label, cell('bar', bar, note), load, busy, clock, irqs, pps, fed);

  const update = (core, summary, known) => {
    const isOnline = core.online !== false;
    setText(label, 'core ' + core.core);
    setAttribute(node, 'data-core', String(core.core));
    setAttribute(node, 'data-hot', core.packet_load >= LIMIT ? '' : null);
    setAttribute(node, 'data-hottest', core.core === summary.hottest_core ? '' : null);
    setAttribute(node, 'data-out', isOnline && core.eligible !== false ? null : '');
    setText(note, noteText(core));
    const spoken = [];
    for (const [i, [, words, fields]] of PARTS.entries()) {
      const value = isOnline ? shareOf(core, fields) : null;
      setStyle(segments[i], 'width', (value ?? 0) * 100 + '%');
      if (value !== null)
        spoken.push(words + ' ' + percent(value));
    }
    setAttribute(bar, 'aria-label', spoken.join(', ') || 'not known');
    setHidden(mark, !isOnline || !isKnown(core.packet_load));
    setStyle(mark, 'left', (core.packet_load ?? 0) * 100 + '%');
    setFigure(load, percent(core.packet_load));
    setFigure(busy, percent(core.busy));
    setFigure(irqs, rate(core.nic_interrupts_ps));
    setFigure(pps, packets(core.softnet?.processed_pps ?? null));
    setFigure(clock, clockText(core));
    const isSlow = core.freq_hz < SLOW_RATIO * core.freq_max_hz && core.busy >= LIMIT;
    setAttribute(clock, 'data-slow', isSlow ? '' : null);
    const [from, work] = [feedTexts(core.fed_by ?? []).join(', '), threadTexts(known, core.core)];
    setText(feeds, from === '' ? '' : 'fed by ' + from);
    setText(threads, work);
    setHidden(feeds, from === '');
    setHidden(fed, from === '' && work === '');
  };
  return { node, update };
}

const COLUMNS = [
  ['name', 'Core', null],
  ['bar', 'Share of time', null],
  ['load', 'Packet load', 'interrupt handling and packet threads, share of the time available'],
  ['busy', 'Busy', 'everything but idle, share of the time available'],
  ['clock', 'Clock', 'frequency of the core now, and the highest it can have'],
  ['irqs', 'NIC interrupts', 'interrupts of network devices per second'],
  ['pps', 'Packets', 'entering the network stack per second; more than on the wire with VLANs'],
];

/* onOrder(order): the reader has chosen one of ORDERS. */
export function coresView(panel, onOrder = () => {}) {
  const order = new Order();
  const setOrder = (name) => {
    orders.set(name);
    order.set(name);
    if (last)
      render(last);
  };
  const orders = choice('core-order', 'Order of the cores',
    [[ORDERS[0], 'hottest first'], [ORDERS[1], 'by number']], (name) => {
      setOrder(name);
      onOrder(name);
    });
  const body = el('div', { role: 'rowgroup', class: 'core-rows' });
  const head = el('div', { role: 'row', class: 'core core-head' },
    ...COLUMNS.map(([name, text, title]) =>
      el('span', { role: 'columnheader', class: 'cell-' + name, title }, text)));
  const clockHead = head.querySelector('.cell-clock');
  const table = el('div', { role: 'table', class: 'core-table', 'aria-labelledby': 'cores-title' },
    el('div', { role: 'rowgroup' }, head), body);
  const empty = el('p', { class: 'muted' });
  const notMeasured = el('p', { class: 'note-line muted', hidden: true },
    'Hard interrupt time is not measured by this kernel (tick accounting): it hides in the other '
    + 'parts, and loads are samples of the timer tick.');
  const fold = el('button', { type: 'button', class: 'fold', hidden: true,
    click: () => { isOpen = !isOpen; if (last) render(last); } });
  panel.append(
    el('div', { class: 'panel-head' },
      el('div', { class: 'panel-title' },
        el('h2', { id: 'cores-title' }, 'What each core does'), orders.node),
      el('ul', { class: 'key' }, ...PARTS.map(([name, words]) =>
        el('li', { class: 'key-' + name }, el('span', { class: 'swatch seg-' + name }), words)),
      el('li', {}, el('span', { class: 'swatch-mark' }), 'packet load'))),
    table, fold, notMeasured, empty);
  const rows = keyedRows(body, (core) => core.core, makeRow);
  const workedAt = new Map();
  let isOpen = false;
  let last = null;

  const render = (store) => {
    last = store;
    const { cores, summary } = store;
    setHidden(empty, cores.length > 0);
    setText(empty, waitingText(store));
    setHidden(table, cores.length === 0);
    if (summary === null)
      return;
    for (const core of cores) {
      if (core.packet_load >= QUIET_RATIO || core.busy >= 2 * QUIET_RATIO)
        workedAt.set(core.core, store.sampledMs);
    }
    const isQuiet = (core) => !(store.sampledMs - workedAt.get(core.core) < QUIET_MS)
      && core.core !== summary.hottest_core;
    const shown = cores.length < FOLD_FROM || isOpen ? cores : cores.filter((c) => !isQuiet(c));
    const nFolded = cores.length - shown.length;
    rows(order.sort(shown, performance.now()), summary, store.map);
    setAttribute(table, 'data-many', shown.length >= FOLD_FROM ? '' : null);
    setHidden(fold, !isOpen && nFolded === 0 || cores.length < FOLD_FROM);
    setText(fold, isOpen ? 'Hide quiet cores'
      : 'Show ' + nFolded + ' quiet ' + (nFolded === 1 ? 'core' : 'cores'));
    setAttribute(fold, 'aria-expanded', String(isOpen));
    setHidden(notMeasured, summary.cpu_accounting !== 'tick');
    const isRequested = store.map?.cores?.some((c) => c.freq_measured === false) ?? false;
    setText(clockHead, isRequested ? 'Clock, requested' : 'Clock');
    setAttribute(table, 'data-clock', cores.some((c) => isKnown(c.freq_hz)) ? '' : null);
    setAttribute(panel, 'data-nice', cores.some((c) => c.nice >= NOTHING) ? '' : null);
    setAttribute(panel, 'data-steal', cores.some((c) => c.steal >= NOTHING) ? '' : null);
    setAttribute(panel, 'data-tick', summary.cpu_accounting === 'tick' ? '' : null);
  };
  setOrder(ORDERS[0]);
  return { render, setOrder };
}
