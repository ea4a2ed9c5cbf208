/* SPDX-License-Identifier: ISC */
/*
 * The evidence of one finding over time: before, during and after it, a chart for
 * each thing that shows it, with the means of the three beside. History is asked for
 * when the drawing is first seen, and again now and then while the finding stands.
 */

import { get } from '../api.js';
import { el, setAttribute, setChildren, setHidden, setStyle, setText } from '../dom.js';
import { quantity } from '../format.js';
import { questionOf } from '../history/query.js';
import { chartsOf, windowOf } from './evidence.js';
import { linesOf } from './lines.js';

const HEIGHT = 170;
const POINTS = 300;
/* History of an active finding is asked for again after this share of its window. */
const AGAIN_SHARE = 1 / 100;
const AGAIN_LEAST_MS = 5000;

/* Fetched with the first drawing: null when this build has no charts. */
let charts = null;
function loadCharts() {
  charts ??= import('../chart.js').then(async (module) => {
    await module.loadCharts();
    return module;
  }).catch(() => {
    charts = null;
    return null;
  });
  return charts;
}

/* Unit of the figures: losses are counted, all else is a level. */
const toldUnit = (chart) => chart.isTotal && chart.unit !== 'packets' ? 'events' : chart.unit;
/* Unit of the line: what is counted comes as a rate. */
const drawnUnit = (chart) => !chart.isTotal ? chart.unit
  : chart.unit === 'packets' ? 'packets/s' : '1/s';

function phaseRows(chart, lines, f) {
  const unit = toldUnit(chart);
  return lines.map((line) => {
    const swatch = el('span', { class: 'phase-line', 'aria-hidden': 'true',
      'data-dash': line.dash ? '' : null });
    setStyle(swatch, '--color', 'var(' + line.color + ')');
    const phases = f.cleared_ms ? ['before', 'during', 'after'] : ['before', 'during'];
    return el('tr', {}, el('th', { scope: 'row' }, swatch, line.label),
      ...phases.map((phase) => el('td', {}, quantity(line[phase], unit))));
  });
}

function phaseTable(chart, lines, f) {
  const heads = f.cleared_ms ? ['before', 'during', 'after'] : ['before', 'since then'];
  return el('table', { class: 'phases' },
    el('caption', { class: 'unseen' }, chart.title),
    el('thead', {}, el('tr', {}, el('td', {}), ...heads.map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...phaseRows(chart, lines, f)));
}

/* One chart with its title and its figures. */
class Figure {
  node;
  #plot = el('div', { class: 'evidence-plot' });
  #phases = el('div', { class: 'evidence-phases' });
  #chart = null;
  #madeOf = '';

  constructor(chart, level) {
    this.spec = chart;
    this.node = el('div', { class: 'evidence-figure' },
      el('h' + level, { class: 'part-title' }, chart.title), this.#plot, this.#phases);
  }

  /* module: chart.js, or null */
  update(f, { times, lines }, { fromMs, toMs }, module, sync) {
    setChildren(this.#phases, [phaseTable(this.spec, lines, f)]);
    setHidden(this.#plot, module === null);
    if (module === null)
      return;
    const series = lines.map(({ label, color, dash }) => ({ label, color, dash }));
    const key = JSON.stringify(series);
    if (key !== this.#madeOf) {
      this.destroy();
      this.#madeOf = key;
      this.#chart = module.makeChart(this.#plot, { height: HEIGHT, unit: drawnUnit(this.spec),
        series, band: false, sync, onZoom: null, marks: true, label: this.spec.title });
    }
    this.#chart.setRange(fromMs, toMs);
    this.#chart.setData(times, lines.map((line) => line.values));
    this.#chart.setMarks([{ atMs: f.raised_ms, toMs: f.cleared_ms || toMs, kind: f.severity,
      label: f.title }]);
  }

  destroy() {
    this.#chart?.destroy();
    this.#chart = null;
    this.#madeOf = '';
  }
}

export class Drawing {
  node;
  #level;
  #figures = [];
  #note = el('p', { class: 'muted', role: 'status' }, 'Fetching its history.');
  #again = el('button', { type: 'button', hidden: true, click: () => this.#load() }, 'Try again');
  #place = el('div', { class: 'evidence-figures' });
  #finding = null;
  #store = null;
  #isSeen = false;
  #isAsking = false;
  #askedMs = 0;
  #askedOf = '';
  #observer;

  /* level: of the headings in it. */
  constructor(level) {
    this.#level = level;
    this.node = el('div', { class: 'drawing' }, this.#place,
      el('div', { class: 'drawing-note' }, this.#note, this.#again));
    this.#observer = new IntersectionObserver((entries) => {
      this.#isSeen = entries.at(-1).isIntersecting;
      this.#follow();
    }, { rootMargin: '200px' });
    this.#observer.observe(this.node);
  }

  update(f, store) {
    this.#finding = f;
    this.#store = store;
    this.#follow();
  }

  destroy() {
    this.#observer.disconnect();
    for (const figure of this.#figures)
      figure.destroy();
    this.#figures = [];
    this.#finding = null;
  }

  /* Asks when it is seen and what is drawn is not what there is. */
  #follow() {
    const f = this.#finding;
    if (f === null || !this.#isSeen || this.#isAsking)
      return;
    const { nowMs } = this.#store;
    const span = windowOf(f, nowMs);
    const isGrowing = span.toMs >= nowMs || this.#askedMs < span.toMs;
    const due = this.#askedMs
      + Math.max(AGAIN_LEAST_MS, AGAIN_SHARE * (span.toMs - span.fromMs));
    if (this.#askedOf !== ofText(f) || (isGrowing && nowMs >= due))
      this.#load();
  }

  async #load() {
    const f = this.#finding;
    const { cores, interfaces, nowMs } = this.#store;
    const span = windowOf(f, nowMs);
    const specs = chartsOf(f, { cores: cores.length, speedOf: (device) =>
      interfaces.find((i) => i.device === device)?.speed_bps ?? null });
    this.#isAsking = true;
    this.#askedMs = nowMs;
    this.#askedOf = ofText(f);
    try {
      const [module, ...answers] = await Promise.all([loadCharts(),
        ...specs.map((spec) => Promise.all(spec.asks.map((one) =>
          get('series', questionOf(one, [span.fromMs, span.toMs], POINTS)))))]);
      /* Closed meanwhile. */
      if (this.#finding !== null)
        this.#draw(f, specs.map((spec, i) => [spec, linesOf(spec, answers[i], f)]), span, module);
    } catch (error) {
      this.#say('Its history could not be fetched: ' + error.message + '.', true);
    } finally {
      this.#isAsking = false;
    }
  }

  #draw(f, drawn, span, module) {
    const there = drawn.filter(([, lines]) => lines !== null);
    /* What is context only and shows nothing would only take room. */
    const shown = there.filter(([, { lines }], i) => i === 0
      || lines.some((line) => line.values.some((v) => v > 0)));
    const titles = JSON.stringify(shown.map(([spec]) => spec.title));
    if (titles !== JSON.stringify(this.#figures.map((figure) => figure.spec.title))) {
      for (const figure of this.#figures)
        figure.destroy();
      this.#figures = shown.map(([spec]) => new Figure(spec, this.#level));
      setChildren(this.#place, this.#figures.map((figure) => figure.node));
    }
    for (const [i, [, lines]] of shown.entries())
      this.#figures[i].update(f, lines, span, module, 'finding ' + f.id);
    setAttribute(this.node, 'data-drawn', module === null ? 'figures' : 'charts');
    if (shown.length === 0)
      this.#say('No history of this time is kept: the figures of then are in the evidence.');
    else if (module === null)
      this.#say('This build has no charts: the means of each time stand above.');
    else
      this.#say('');
  }

  #say(text, canRetry = false) {
    setText(this.#note, text);
    setHidden(this.#note, text === '');
    setHidden(this.#again, !canRetry);
  }
}

const ofText = (f) => f.id + ' ' + f.raised_ms + ' ' + (f.cleared_ms || '');
