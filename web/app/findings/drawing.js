/* SPDX-License-Identifier: ISC */
/*
 * The evidence of one finding over time: before, during and after it, a chart for
 * each thing that shows it, with the means of the three beside. History is asked for
 * when the drawing is first seen, and again now and then while the finding stands.
 */

import { get } from '../api.js';
import { loadCharts, makeChart } from '../chart.js';
import { el, setAttribute, setChildren, setHidden, setStyle, setText } from '../dom.js';
import { quantity } from '../format.js';
import { canHeal, reasonOf } from '../history/problem.js';
import { questionOf, resolutionWords } from '../history/query.js';
import { chartsOf, windowOf } from './evidence.js';
import { bandsOf, edgeOf, linesOf } from './lines.js';

const HEIGHT = 170;
const POINTS = 300;
/* History of an active finding is asked for again after this share of its window. */
const AGAIN_SHARE = 1 / 100;
const AGAIN_LEAST_MS = 5000;

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

const hasBand = (line) => Boolean(line.least && line.most);

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

  /* canDraw: the charts were had. */
  update(f, { times, lines }, { fromMs, toMs }, canDraw, sync) {
    setChildren(this.#phases, [phaseTable(this.spec, lines, f)]);
    setHidden(this.#plot, !canDraw);
    if (!canDraw)
      return;
    const series = lines.map(({ label, color, dash }) => ({ label, color, dash }));
    const band = lines.some(hasBand);
    const key = JSON.stringify([series, band]);
    if (key !== this.#madeOf) {
      this.destroy();
      this.#madeOf = key;
      this.#chart = makeChart(this.#plot, { height: HEIGHT, unit: drawnUnit(this.spec),
        series, band, sync, onZoom: null, marks: true, label: this.spec.title });
    }
    this.#chart.setRange(fromMs, toMs);
    const none = new Array(times.length).fill(null);
    this.#chart.setData(times, lines.flatMap((line) => !band ? [line.values]
      : [line.values, line.least ?? none, line.most ?? none]));
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
  /* Something was not had that may be had later. */
  #isIncomplete = false;
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
    const isGrowing = span.toMs >= nowMs || this.#askedMs < span.toMs || this.#isIncomplete;
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
    this.#isIncomplete = false;
    try {
      const ask = (line, aggregate) =>
        get('series', questionOf(line, [span.fromMs, span.toMs], POINTS, aggregate));
      const [noCharts, ...answers] = await Promise.all([
        loadCharts().then(() => null, (error) => error),
        ...specs.map((spec) => Promise.all(spec.asks.map((one) => ask(one))))]);
      const drawn = specs.map((spec, i) => [spec, linesOf(spec, answers[i], f)])
        .filter(([, found]) => found !== null);
      if (noCharts === null)
        await this.#askBands(drawn, ask);
      this.#isIncomplete ||= noCharts !== null && canHeal(noCharts);
      /* Closed meanwhile. */
      if (this.#finding !== null)
        this.#draw(f, drawn, span, noCharts);
    } catch (error) {
      this.#isIncomplete = canHeal(error);
      this.#say('Its history could not be fetched: ' + reasonOf(error) + '.', true);
    } finally {
      this.#isAsking = false;
    }
  }

  /* What the means hide, where they are means. */
  async #askBands(drawn, ask) {
    const isCoarse = ({ resolutionMs }) => resolutionMs > this.#store.intervalMs * 1.5;
    const bands = drawn.filter(([, found]) => isCoarse(found)).flatMap(([spec, found]) =>
      bandsOf(spec, found.lines).map((band) => ({ ...band, spec, found })));
    await Promise.all(bands.map(async ({ line, question, spec, found }) => {
      try {
        [line.least, line.most] = (await Promise.all([ask(question, 'min'), ask(question, 'max')]))
          .map((answer) => edgeOf(answer, found.times, spec.factor));
      } catch {
        /* The means are still worth seeing. */
        this.#isIncomplete = true;
      }
    }));
  }

  #draw(f, drawn, span, noCharts) {
    /* What is context only and shows nothing would only take room. */
    const shown = drawn.filter(([, { lines }], i) => i === 0
      || lines.some((line) => line.values.some((v) => v > 0)));
    const titles = JSON.stringify(shown.map(([spec]) => spec.title));
    if (titles !== JSON.stringify(this.#figures.map((figure) => figure.spec.title))) {
      for (const figure of this.#figures)
        figure.destroy();
      this.#figures = shown.map(([spec]) => new Figure(spec, this.#level));
      setChildren(this.#place, this.#figures.map((figure) => figure.node));
    }
    for (const [i, [, found]] of shown.entries())
      this.#figures[i].update(f, found, span, noCharts === null, 'finding ' + f.id);
    setAttribute(this.node, 'data-drawn', noCharts === null ? 'charts' : 'figures');
    if (shown.length === 0)
      this.#say('No history of this time is kept: the figures of then are in the evidence.');
    else if (noCharts !== null)
      this.#say(noCharts.message + ' The means of each time stand above.', !noCharts.isMissing);
    else
      this.#say(this.#bandText(shown.map(([, found]) => found)));
  }

  /* What the shading is, where there is one. */
  #bandText(all) {
    const shaded = all.filter(({ lines }) => lines.some(hasBand));
    const steps = [...new Set(shaded.map(({ resolutionMs }) =>
      resolutionWords(resolutionMs, this.#store.intervalMs)))];
    return steps.length === 0 ? '' : steps.join(', ') + ', shaded from least to most.';
  }

  #say(text, canRetry = false) {
    setText(this.#note, text);
    setHidden(this.#note, text === '');
    setHidden(this.#again, !canRetry);
  }
}

const ofText = (f) => f.id + ' ' + f.raised_ms + ' ' + (f.cleared_ms || '');
