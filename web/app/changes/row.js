/* SPDX-License-Identifier: ISC */
/*
 * One moment in the list of changes: when, what was set, and what was measured
 * before and after it.
 */

import { changeLine } from '../changelist.js';
import { el, keyedRows, setAttribute, setChildren, setHidden, setText } from '../dom.js';
import { clock, instant, moment as momentText } from '../format.js';
import { stateParameters } from '../history/address.js';
import { addressOf } from '../router.js';
import { drawTrace } from './trace.js';
import { spanOf, windowsOf } from './windows.js';
import { figuresOf, notesOf, stateText } from './words.js';

/* More lines are folded: a service may move a hundred interrupts at once. */
const LINES = 5;
/* History is opened with as much around the windows. */
const AROUND_MS = 300000;

function makeLine() {
  const line = changeLine();
  return { node: el('li', {}, ...line.nodes), update: line.update };
}

function makeFigure() {
  const [label, value, about] = [el('dt', {}), el('dd', { class: 'effect-value' }),
    el('dd', { class: 'effect-about muted' })];
  const node = el('div', { class: 'effect-figure' }, label, value, about);
  const update = (figure) => {
    setText(label, figure.label);
    setText(value, figure.value);
    setText(about, figure.about);
    setAttribute(node, 'data-figure', figure.name);
    setAttribute(node, 'data-way', figure.way);
  };
  return { node, update };
}

function historyAddress(moment, intervalMs) {
  const { fromMs, toMs } = spanOf(windowsOf(moment, intervalMs));
  const chart = (metric) => ({ lines: [{ metric, labels: {} }], isFolded: false });
  return addressOf('history', stateParameters({
    range: { from: fromMs - AROUND_MS, to: toMs + AROUND_MS },
    charts: [chart('core_packet_load_ratio'), chart('interface_bytes')] }));
}

/* onFold(): lines were shown or hidden. */
export function makeRow(effects, onFold) {
  const when = el('time', {});
  const lines = el('ul', { class: 'moment-lines' });
  const fold = el('button', { type: 'button', class: 'fold', click: () => {
    isOpen = !isOpen;
    onFold();
  } });
  const figures = el('dl', { class: 'effect-figures' });
  const state = el('p', { class: 'muted effect-state' });
  const notes = el('ul', { class: 'effect-notes muted' });
  const trace = el('div', { class: 'effect-trace' });
  const history = el('a', { class: 'effect-history' }, 'In History');
  const effect = el('div', { class: 'effect' }, el('div', { class: 'effect-told' },
    state, figures, notes), trace, history);
  const node = el('li', { class: 'moment' }, el('p', { class: 'moment-when muted' }, when),
    el('div', { class: 'moment-what' }, lines, fold), effect);
  const lineRows = keyedRows(lines, ({ change }) => change.id, makeLine);
  const figureRows = keyedRows(figures, ({ name }) => name, makeFigure);
  const noteRows = keyedRows(notes, (text) => text, (text) =>
    ({ node: el('li', {}, text), update() {} }));
  let isOpen = false;
  let drawn = null;

  const draw = (known, moment) => {
    /* Of the same measurement there is one drawing. */
    if (drawn === known?.measured)
      return;
    drawn = known?.measured;
    setChildren(trace, known ? [drawTrace(known.measured, known.windows, moment)] : []);
  };

  const update = (moment, store) => {
    setText(when, momentText(moment.toMs, store.nowMs));
    setAttribute(when, 'datetime', new Date(moment.toMs).toISOString());
    setAttribute(when, 'title', instant(moment.fromMs, 1000, store.nowMs)
      + (moment.toMs > moment.fromMs ? ' to ' + clock(moment.toMs) : ''));
    const nMore = moment.groups.length - LINES;
    lineRows(isOpen || nMore < 2 ? moment.groups : moment.groups.slice(0, LINES));
    setHidden(fold, nMore < 2);
    setText(fold, isOpen ? 'Show fewer' : 'Show ' + nMore + ' more');
    setAttribute(fold, 'aria-expanded', String(isOpen));

    const told = effects.of(moment);
    const known = told.name === 'known' && told.verdict.problem === null ? told : undefined;
    const isNone = told.name === 'coarse' || told.name === 'known' && known === undefined;
    setAttribute(effect, 'data-effect', isNone ? 'none' : told.name);
    setText(state, stateText(told));
    setHidden(state, known !== undefined);
    figureRows(known ? figuresOf(known.measured, known.verdict) : []);
    noteRows(known ? notesOf(known.measured, known.verdict, known.nOthers, known.windows) : []);
    draw(known, moment);
    setAttribute(history, 'href', historyAddress(moment, store.intervalMs));
  };
  return { node, update };
}
