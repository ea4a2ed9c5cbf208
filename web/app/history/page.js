/* SPDX-License-Identifier: ISC */
/*
 * History: charts under each other that share a range of time and a crosshair. What is
 * shown is in the address, so a link shows the same.
 */

import { get } from '../api.js';
import { loadCharts } from '../chart.js';
import { el, setAttribute, setChildren, setHidden, setText } from '../dom.js';
import { instant } from '../format.js';
import { tell } from '../router.js';
import { lineText, parseState, rangeBetween, rangeWithin, spanOf, stateParameters }
  from './address.js';
import { firstCharts, metricsOf } from './catalog.js';
import { eventList } from './eventlist.js';
import { ChartPanel } from './panel.js';
import { picker } from './picker.js';
import { canHeal, reasonOf } from './problem.js';
import { pointsFor } from './query.js';
import { Told } from './told.js';
import { toolbar } from './toolbar.js';

/* Live charts ask again at the pace of their resolution, but not more often. */
const REFRESH_MIN_MS = 5000;

class HistoryPage {
  #root;
  #store;
  #state = null;
  #metrics = null;
  #panels = [];
  #span = [0, 0];
  #isShown = false;
  #askedAt = -Infinity;
  #events = new Told();
  #wasStale = false;

  constructor(root, { store }) {
    this.#root = root;
    this.#store = store;
    this.bar = toolbar({ last: (s) => this.#go({ last: s }),
      range: (from, to) => this.#go(rangeWithin(from, to, this.#nowMs)),
      exact: (from, to) => this.#goExactly(from, to) });
    this.picker = picker((line, chart) => this.#add(line, chart));
    this.list = eventList((mark) => this.#lookAt(mark));
    this.note = el('p', { class: 'note', role: 'status' }, 'Asking what there is.');
    this.charts = el('div', { class: 'history-charts' });
    root.append(el('div', { class: 'panel-head history-head' },
      el('h2', { class: 'page-title', tabindex: '-1' }, 'History'),
      el('button', { type: 'button', click: () => this.#reset() }, 'First view')),
    this.bar.node, this.note, this.charts, this.list.node, this.picker.node,
    el('p', { class: 'muted history-hint' }, 'Drag in a chart to zoom, with shift to move; '
      + 'double click zooms out. With the keyboard: arrows read values, with shift they move, '
      + '+ and \u2212 zoom.'));
  }

  async show(parameters) {
    this.#isShown = true;
    const asked = parseState(parameters);
    /* Without parameters: what was seen last, or the first view. */
    const isPlain = [...parameters].length === 0;
    if (!(isPlain && this.#state !== null))
      this.#state = asked;
    this.#drawBar();
    await this.#prepare();
  }

  hide() {
    this.#isShown = false;
  }

  update(store, changed) {
    if (!this.#isShown || this.#state === null)
      return;
    const isBack = this.#wasStale && !store.isStale;
    this.#wasStale = store.isStale;
    setAttribute(this.#root, 'data-gone', store.isStale && store.sampledMs !== null ? '' : null);
    /* Some of the events may have been missed. */
    if (isBack)
      this.#events.forget();
    const isTurn = changed.has('tick') && this.#isTimeFor(REFRESH_MIN_MS);
    const isLacking = this.#failed.length > 0
      && (isBack || (isTurn && this.#failed.some(canHeal)));
    /* A daemon that has just begun has no series yet. */
    if (isLacking || (isTurn && this.#isTooEarly)) {
      this.#prepare();
      return;
    }
    if (this.#isTooEarly) {
      this.#build();
      if (!this.#isTooEarly) {
        this.#drawNote();
        this.#ask();
      }
    }
    if (changed.has('health'))
      this.#drawNote();
    if (changed.has('findings') || changed.has('changes'))
      this.#drawMarks();
    if (isBack || (changed.has('tick') && this.#isDue()))
      this.#ask(true);
  }

  get #nowMs() {
    return this.#store.sampledMs ?? this.#store.nowMs;
  }

  #isTimeFor(paceMs) {
    return performance.now() - this.#askedAt >= paceMs;
  }

  /* Whether there can be values that are not drawn. */
  #isDue() {
    const panels = this.#panels;
    const isOpen = this.#state.range.last !== undefined || this.#events.problem !== null
      || panels.some((p) => p.isIncomplete);
    if (!isOpen || panels.some((p) => p.isBusy))
      return false;
    const pace = Math.min(...panels.map((p) => p.resolutionMs || REFRESH_MIN_MS));
    return this.#isTimeFor(Math.max(REFRESH_MIN_MS, pace));
  }

  get #isTooEarly() {
    return this.#metrics !== null && this.#state.charts === null
      && this.#store.interfaces.length > 0;
  }

  /* What there is to choose from and what draws it, then the charts. */
  async #prepare() {
    this.#askedAt = performance.now();
    const [catalog, charts] = await Promise.allSettled([get('catalog'), loadCharts()]);
    if (catalog.status === 'fulfilled') {
      this.#metrics = metricsOf(catalog.value);
      this.picker.setMetrics(this.#metrics);
    }
    this.#failed = [catalog, charts].filter((one) => one.status === 'rejected')
      .map((one) => one.reason);
    this.#problem = charts.status === 'rejected' ? charts.reason.message
      + (charts.reason.isMissing ? ' The values are there as CSV below.' : '')
      : catalog.status === 'rejected' ? 'What there is could not be asked: '
        + reasonOf(catalog.reason) + '.' : null;
    if (this.#isShown)
      this.#build();
    this.#drawNote();
    if (this.#isShown)
      this.#ask();
  }

  #problem = 'Asking what there is.';
  #failed = [];

  #drawNote() {
    const kept = this.#store.health?.store;
    const text = this.#problem ?? (this.#isTooEarly ? 'There are no values yet.'
      : kept?.state === 'memory' ? 'History is in memory only (no store path is set): it reaches '
        + 'back an hour at most and ends with the daemon.' : '');
    setText(this.note, text);
    setHidden(this.note, text === '');
  }

  #build() {
    const { interfaces } = this.#store;
    /* The first view waits for what there is, and the interfaces. */
    if (this.#state.charts === null) {
      if (this.#metrics === null || interfaces.length === 0)
        return;
      const first = firstCharts(this.#metrics, interfaces);
      if (first.length === 0)
        return;
      this.#state.charts = first;
    }
    const keyOf = ({ lines }) => lines.map(lineText).join(';');
    const before = new Map(this.#panels.map((p) => [keyOf(p.chart), p]));
    this.#panels = this.#state.charts.map((chart) => {
      const own = before.get(keyOf(chart));
      before.delete(keyOf(chart));
      if (own !== undefined) {
        own.chart = chart;
        return own;
      }
      return new ChartPanel(chart, {
        onZoom: (from, to) => this.#go(rangeWithin(from, to, this.#nowMs)),
        onRemove: (gone) => this.#setCharts(this.#state.charts.filter((c) =>
          JSON.stringify(c) !== JSON.stringify(gone))),
        onFold: (one) => this.#setCharts(this.#state.charts.map((c) =>
          JSON.stringify(c) === JSON.stringify(one) ? { ...c, isFolded: !c.isFolded } : c)),
        intervalMs: () => this.#store.intervalMs,
        emptyText: () => this.#emptyText(),
        marks: () => this.#events.marks(this.#store, this.#span),
      });
    });
    for (const gone of before.values())
      gone.destroy();
    setChildren(this.charts, this.#panels.length > 0 ? this.#panels.map((p) => p.node)
      : [el('p', { class: 'muted' }, 'No chart. Add one below.')]);
    this.picker.setCharts(this.#state.charts);
  }

  #emptyText() {
    const kept = this.#store.health?.store;
    if (!(kept?.oldest_ms > 0))
      return 'No values in this range.';
    return 'No values in this range. What is stored begins '
      + instant(kept.oldest_ms, 60000, this.#nowMs) + '.';
  }

  /* Another range, of all charts. */
  #go(range) {
    this.#state.range = range;
    this.#drawBar();
    for (const panel of this.#panels)
      panel.setRange(this.#span);
    this.#ask();
  }

  #goExactly(from, to) {
    const range = rangeBetween(from, to, this.#nowMs);
    if (typeof range === 'string')
      return range;
    this.#go(range);
    return undefined;
  }

  #setCharts(charts) {
    this.#state.charts = charts;
    this.#build();
    this.#ask();
  }

  #add(line, chart) {
    const { charts } = this.#state;
    this.#setCharts(chart === null ? [...charts ?? [], { lines: [line], isFolded: false }]
      : charts.map((c) => c === chart ? { ...c, lines: [...c.lines, line] } : c));
    const at = chart === null ? this.#panels.length - 1 : charts.indexOf(chart);
    this.#panels[at]?.node.scrollIntoView({ block: 'nearest' });
  }

  #reset() {
    this.#state = parseState(new URLSearchParams());
    this.#build();
    this.#drawBar();
    this.#ask();
  }

  #drawBar() {
    this.#span = spanOf(this.#state.range, this.#nowMs);
    this.bar.update(this.#state.range, this.#span, this.#nowMs);
  }

  #ask(isQuiet = false) {
    this.#askedAt = performance.now();
    this.#drawBar();
    if (this.#state.charts !== null)
      tell('history', stateParameters(this.#state));
    const points = pointsFor(this.charts.clientWidth);
    for (const panel of this.#panels)
      panel.ask(this.#span, points, isQuiet);
    this.#drawMarks();
    const isOpen = this.#state.range.last !== undefined || this.#span[1] >= this.#nowMs;
    this.#events.ask(this.#span, isOpen).then(() => this.#drawMarks());
  }

  #drawMarks() {
    const marks = this.#events.marks(this.#store, this.#span);
    for (const panel of this.#panels)
      panel.setMarks(marks);
    this.list.update(marks, this.#events, this.#span, this.#nowMs);
  }

  /* Around a mark: what was before and after it. */
  #lookAt({ atMs, toMs, isOver }) {
    const length = Math.max(60000, isOver && toMs !== null ? toMs - atMs : 0);
    this.#go(rangeWithin(atMs - 2 * length, atMs + 3 * length, this.#nowMs));
  }
}

export function makePage(root, context) {
  const page = new HistoryPage(root, context);
  return {
    show: (parameters) => page.show(parameters),
    hide: () => page.hide(),
    update: (store, changed) => page.update(store, changed),
  };
}
