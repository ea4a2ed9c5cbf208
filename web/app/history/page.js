/* SPDX-License-Identifier: ISC */
/*
 * History: charts under each other that share a range of time and a crosshair. What is
 * shown is in the address, so a link shows the same.
 */

import { get } from '../api.js';
import { loadCharts } from '../chart.js';
import { el, setAttribute, setHidden, setText } from '../dom.js';
import { instant } from '../format.js';
import { tell } from '../router.js';
import { parseState, rangeWithin, spanOf, stateParameters } from './address.js';
import { firstCharts, metricsOf } from './catalog.js';
import { eventList } from './eventlist.js';
import { marksOf } from './events.js';
import { ChartPanel } from './panel.js';
import { picker } from './picker.js';
import { pointsFor } from './query.js';
import { toolbar } from './toolbar.js';

/* Live charts ask again at the pace of their resolution, but not more often. */
const REFRESH_MIN_MS = 5000;
/* As many as the daemon tells at once. */
const CHANGES_MAX = 1000;

class HistoryPage {
  #root;
  #store;
  #state = null;
  #metrics = null;
  #panels = [];
  #span = [0, 0];
  #isShown = false;
  #askedAt = -Infinity;
  /* known: the range they are of. */
  #events = { findings: [], changes: [], problem: null, known: null };
  #eventsTurn = 0;
  #wasStale = false;

  constructor(root, { store }) {
    this.#root = root;
    this.#store = store;
    this.bar = toolbar({ last: (s) => this.#go({ last: s }),
      range: (from, to) => this.#go(rangeWithin(from, to, this.#nowMs)) });
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
    await this.#askCatalog();
    if (!this.#isShown)
      return;
    this.#build();
    this.#ask();
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
    if (isBack && (this.#metrics === null || this.#state.charts === null)) {
      this.show(new URLSearchParams());
      return;
    }
    if (this.#metrics !== null && this.#state.charts === null && store.interfaces.length > 0) {
      this.#build();
      this.#ask();
    }
    if (changed.has('health'))
      this.#drawNote();
    if (changed.has('findings') || changed.has('changes'))
      this.#drawMarks();
    if (isBack)
      this.#askEvents(true);
    if (isBack || (changed.has('tick') && this.#isDue()))
      this.#ask(true);
  }

  get #nowMs() {
    return this.#store.sampledMs ?? this.#store.nowMs;
  }

  /* Whether there can be values that are not drawn. */
  #isDue() {
    if (this.#state.range.last === undefined || this.#panels.some((p) => p.isBusy))
      return false;
    const pace = Math.min(...this.#panels.map((p) => p.resolutionMs || REFRESH_MIN_MS));
    return performance.now() - this.#askedAt >= Math.max(REFRESH_MIN_MS, pace);
  }

  async #askCatalog() {
    try {
      this.#metrics = metricsOf(await get('catalog'));
      this.picker.setMetrics(this.#metrics);
      setHidden(this.note, true);
      this.#problem = null;
    } catch (error) {
      this.#problem = error.status === undefined ? 'The daemon does not answer.'
        : 'What there is could not be asked: ' + error.message + '.';
    }
    try {
      await loadCharts();
    } catch {
      this.#problem = 'This build of the daemon has no charts (uPlot was missing when it was '
        + 'built). The values are there as CSV below.';
    }
    this.#drawNote();
  }

  #problem = 'Asking what there is.';

  #drawNote() {
    const kept = this.#store.health?.store;
    const text = this.#problem ?? (kept?.state === 'memory'
      ? 'History is in memory only (no store path is set): it reaches back some minutes and ends '
        + 'with the daemon.' : '');
    setText(this.note, text);
    setHidden(this.note, text === '');
  }

  #build() {
    const { interfaces } = this.#store;
    if (this.#metrics === null)
      return;
    /* The first view waits for the interfaces. */
    if (this.#state.charts === null && interfaces.length === 0)
      return;
    this.#state.charts ??= firstCharts(this.#metrics, interfaces);
    const before = new Map(this.#panels.map((p) => [JSON.stringify(p.chart), p]));
    this.#panels = this.#state.charts.map((chart) => {
      const key = JSON.stringify(chart);
      const own = before.get(key);
      before.delete(key);
      return own ?? new ChartPanel(chart, {
        onZoom: (from, to) => this.#go(rangeWithin(from, to, this.#nowMs)),
        onRemove: (gone) => this.#setCharts(this.#state.charts.filter((c) =>
          JSON.stringify(c) !== JSON.stringify(gone))),
        onFold: (one) => this.#setCharts(this.#state.charts.map((c) =>
          JSON.stringify(c) === JSON.stringify(one) ? { ...c, isFolded: !c.isFolded } : c)),
        intervalMs: () => this.#store.intervalMs,
        emptyText: () => this.#emptyText(),
        marks: () => this.#marks(),
      });
    });
    for (const gone of before.values())
      gone.destroy();
    this.charts.replaceChildren(...this.#panels.map((p) => p.node));
    if (this.#panels.length === 0)
      this.charts.append(el('p', { class: 'muted' }, 'No chart. Add one below.'));
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
    this.#askEvents();
    this.#drawMarks();
  }

  /* Those of the shown range, once: what is new comes by the stream. isAnew: it may
   * have missed some. */
  async #askEvents(isAnew = false) {
    const [from, to] = this.#span;
    const { known } = this.#events;
    if (!isAnew && known !== null && from >= known.from && to <= known.to) {
      this.#drawMarks();
      return;
    }
    const turn = ++this.#eventsTurn;
    const isOpen = this.#state.range.last !== undefined || to >= this.#nowMs;
    const after = String(from / 1000);
    try {
      const [findings, changes] = await Promise.all([get('findings', { state: 'all', after }),
        get('changes', { after, ...isOpen ? {} : { before: String(to / 1000) },
          limit: String(CHANGES_MAX) })]);
      /* Another range may have been asked for meanwhile. */
      if (turn === this.#eventsTurn) {
        this.#events = { findings, changes, problem: null,
          known: { from, to: isOpen ? Infinity : to } };
      }
    } catch (error) {
      if (turn === this.#eventsTurn)
        this.#events.problem = error.message;
    }
    this.#drawMarks();
  }

  /* What was asked for, and what the stream brought since. */
  #marks() {
    const { findings, changes } = this.#store;
    const allFindings = new Map([...this.#events.findings.map((f) => [f.id, f]), ...findings]);
    const allChanges = new Map([...this.#events.changes, ...changes ?? []].map((c) => [c.id, c]));
    return marksOf([...allFindings.values()],
      [...allChanges.values()].sort((a, b) => b.at_ms - a.at_ms), this.#span);
  }

  #drawMarks() {
    const marks = this.#marks();
    for (const panel of this.#panels)
      panel.setMarks(marks);
    this.list.update(marks, this.#events.problem, this.#nowMs);
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
