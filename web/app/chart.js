/* SPDX-License-Identifier: ISC */
/*
 * Series over time, drawn by uPlot: the one place that uses it. A chart has a
 * stable legend that reads the values under the crosshair, marks on the time line,
 * and tells a range that was chosen in it; the caller decides what to show then.
 *
 *   makeChart(box, options) -> { setData, setRange, setMarks, destroy }
 *
 * options:
 *   height   of the plot with its axes, CSS pixels
 *   unit     of the values, as the API names it (format.js)
 *   series   [{ label, color: '--series-1', dash? }]
 *   band     true: a series has three rows of values (mean, least, most), and what
 *            lies between the last two is shaded
 *   sync     charts of one name share their crosshair; null
 *   onZoom   (fromMs, toMs) => ..., null: the range cannot be changed
 *   marks    true: there is room for marks, and the legend reads them
 *   label    what it is a chart of, for those who do not see it
 */

import { marksNear } from './chart/marks.js';
import { plotOptions } from './chart/options.js';
import { listen } from './chart/pointer.js';
import { makeReadout } from './chart/readout.js';
import { stepOf } from './chart/shape.js';
import { el, setStyle } from './dom.js';
import { sheet } from './pages.js';
import { onPaletteChange } from './palette.js';

const MARK_REACH_PX = 6;
const UPLOT = './uplot/uPlot.js';

let uPlot = null;
let loading = null;
let attempts = 0;

/* Why there are no charts, as a sentence. isMissing: this build has none, so that
 * asking again is of no use. */
export class NoCharts extends Error {
  constructor(status) {
    const why = status === null ? ': the daemon does not answer.'
      : status < 400 ? '.' : ': the daemon refused them (status ' + status + ').';
    super(status === 404
      ? 'This build of the daemon has no charts: uPlot was missing when it was built.'
      : 'The charts could not be fetched' + why);
    this.isMissing = status === 404;
  }
}

/* Fetches uPlot once. Rejects with NoCharts, and can be called again then. */
export function loadCharts() {
  loading ??= fetchCharts().catch(async () => {
    loading = null;
    throw new NoCharts(await statusOf(UPLOT));
  });
  return loading;
}

async function fetchCharts() {
  /* Some browsers remember by its address that a module failed. */
  const again = attempts > 0 ? '?' + attempts : '';
  attempts++;
  const [module] = await Promise.all([import(UPLOT + again), sheet('uplot/uPlot.css'),
    sheet('chart/chart.css')]);
  uPlot = module.default;
}

/* An import that failed does not tell the status; null: there is no answer. */
async function statusOf(path) {
  const url = new URL(path, import.meta.url);
  /* fetch refuses an address with a user name in it. */
  url.username = '';
  url.password = '';
  try {
    return (await fetch(url, { method: 'HEAD', cache: 'no-store' })).status;
  } catch {
    return null;
  }
}

/* Charts that share a crosshair, by name; all charts, for a change of colours. */
const groups = new Map();
const living = new Set();
onPaletteChange(() => {
  for (const chart of living)
    chart.recolor();
});

export function makeChart(box, options) {
  const chart = new Chart(box, options);
  return {
    setData: (timeMs, values) => chart.setData(timeMs, values),
    setRange: (fromMs, toMs) => chart.setRange(fromMs, toMs),
    setMarks: (marks) => chart.setMarks(marks),
    destroy: () => chart.destroy(),
  };
}

class Chart {
  options;
  plot;
  /* Of the time axis, ms; null: what there are data for. */
  range = null;
  #box;
  #root;
  #view;
  #readout;
  #marks = [];
  #colors = [];
  /* How far apart values are, by series of uPlot. */
  #steps = [];
  #observer;
  #isTold = true;

  constructor(box, options) {
    this.options = { height: 240, unit: '', band: false, sync: null, onZoom: null, marks: false,
      label: '', ...options };
    this.#box = box;
    this.#view = el('div', { class: 'chart-view', tabindex: '0', role: 'img' });
    this.#readout = makeReadout(this.options, (i) => this.#single(i));
    this.#root = el('div', { class: 'chart' }, this.#view, this.#readout.node);
    box.append(this.#root);
    this.#view.setAttribute('aria-label', this.#description());
    this.#readColors();
    this.plot = new uPlot(this.#plotOptions(), this.#emptyData(), this.#view);
    listen(this, this.#view);
    living.add(this);
    if (this.options.sync !== null) {
      const group = groups.get(this.options.sync) ?? new Set();
      groups.set(this.options.sync, group.add(this));
    }
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(box);
    this.#read();
  }

  setData(timeMs, values) {
    const { band, series } = this.options;
    const size = band ? 3 : 1;
    const means = series.map((_, i) => values[i * size]);
    const edges = band ? series.flatMap((_, i) => [values[i * 3 + 1], values[i * 3 + 2]]) : [];
    const data = [timeMs, ...edges, ...means];
    this.#steps = data.map((row, i) => i === 0 ? 0 : stepOf(timeMs, row));
    this.plot.setData(data);
    this.#view.dataset.points = timeMs.length;
    this.#read();
  }

  setRange(fromMs, toMs) {
    this.range = [fromMs, toMs];
    this.plot.setScale('x', { min: fromMs, max: toMs });
    this.#view.dataset.from = Math.round(fromMs);
    this.#view.dataset.to = Math.round(toMs);
  }

  setMarks(marks) {
    this.#marks = marks;
    this.plot.redraw(false);
    this.#read();
  }

  destroy() {
    this.#observer.disconnect();
    groups.get(this.options.sync)?.delete(this);
    living.delete(this);
    this.plot.destroy();
    this.#root.remove();
  }

  /* Puts the crosshair at a time, null: away; isSpoken: by the keyboard, so that
   * the values are read aloud. */
  point(timeMs, isSpoken = false) {
    this.#place(timeMs);
    this.#tellOthers(timeMs);
    if (isSpoken)
      this.#readout.speak();
  }

  /* The data point `steps` from the crosshair, as a time; null: there is none. */
  neighbour(steps) {
    const times = this.plot.data[0];
    if (times.length === 0)
      return null;
    const [from, to] = [this.plot.scales.x.min, this.plot.scales.x.max];
    const first = Math.max(0, times.findIndex((t) => t >= from));
    const last = Math.max(first, times.findLastIndex((t) => t <= to));
    const at = this.plot.cursor.idx;
    const next = Number.isFinite(steps) && (at === null || at === undefined) ? last
      : (at ?? 0) + steps;
    return times[Math.min(last, Math.max(first, next))];
  }

  recolor() {
    this.#readColors();
    this.plot.redraw(false);
  }

  #place(timeMs) {
    this.#isTold = false;
    const left = timeMs === null ? -10 : this.plot.valToPos(timeMs, 'x');
    this.plot.setCursor({ left, top: timeMs === null ? -10 : 0 });
    this.#isTold = true;
    this.#read();
  }

  #tellOthers(timeMs) {
    for (const other of groups.get(this.options.sync) ?? []) {
      if (other !== this)
        other.#place(timeMs);
    }
  }

  #readColors() {
    const style = getComputedStyle(document.documentElement);
    this.#colors = this.options.series.map((s) => style.getPropertyValue(s.color).trim());
  }

  #emptyData() {
    return [[], ...this.options.series.flatMap(() => this.options.band ? [[], [], []] : [[]])];
  }

  /* Index of a mean among the series of uPlot: edges of bands come first, so that
   * no band lies over a line. */
  #meanAt(i) {
    return 1 + (this.options.band ? 2 * this.options.series.length : 0) + i;
  }

  #plotOptions() {
    return plotOptions(this.options, {
      width: this.#width(),
      font: '12px ' + getComputedStyle(this.#box).fontFamily,
      meanAt: (i) => this.#meanAt(i),
      color: (i) => this.#colors[i],
      step: (at) => this.#steps[at],
      range: () => this.range,
      marks: () => this.#marks,
      onCursor: (u) => {
        if (!this.#isTold)
          return;
        this.#read();
        this.#tellOthers(u.cursor.left < 0 ? null : u.posToVal(u.cursor.left, 'x'));
      },
      onSelect: (u) => this.#select(u),
    });
  }

  /* What was dragged over. */
  #select(u) {
    const { left, width } = u.select;
    if (width <= 0)
      return;
    const [from, to] = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.options.onZoom?.(from, to);
  }

  /* One series stands out; null: all do. */
  #single(i) {
    this.plot.setSeries(i === null ? null : this.#meanAt(i), { focus: true });
  }

  #width() {
    return Math.max(120, this.#box.clientWidth);
  }

  #resize() {
    if (this.#box.clientWidth > 0 && this.#width() !== this.plot.width)
      this.plot.setSize({ width: this.#width(), height: this.options.height });
  }

  #description() {
    const { label, series, onZoom } = this.options;
    return 'Chart' + (label === '' ? '' : ' of ' + label) + ': '
      + series.map((s) => s.label).join(', ') + '. Arrow keys read values'
      + (onZoom === null ? '.' : ', with shift they move the range, plus and minus zoom.');
  }

  /* The values under the crosshair; without one, the last there are. */
  #read() {
    const { data, cursor } = this.plot;
    const times = data[0];
    const isPointed = cursor.left >= 0 && times.length > 0;
    const valueOf = (at) => {
      if (isPointed)
        return cursor.idxs[at] === null ? null : data[at][cursor.idxs[at]] ?? null;
      return data[at].findLast((v) => v !== undefined) ?? null;
    };
    const values = this.options.series.map((_, i) => this.options.band
      ? [this.#meanAt(i), 1 + 2 * i, 2 + 2 * i].map(valueOf) : [valueOf(this.#meanAt(i))]);
    const isNear = cursor.idxs?.some((idx, at) => at > 0 && idx !== null && idx !== undefined);
    const pointed = isNear ? times[cursor.idx] : this.plot.posToVal(cursor.left, 'x');
    const time = isPointed ? pointed : times.at(-1) ?? null;
    const reach = isPointed ? MARK_REACH_PX * (this.plot.scales.x.max - this.plot.scales.x.min)
      / Math.max(1, this.plot.over.clientWidth) : 0;
    this.#readout.update({ time, values, isPointed,
      step: this.#steps[this.#meanAt(0)] || 1000,
      marks: isPointed
        ? marksNear(this.#marks, this.plot.posToVal(cursor.left, 'x'), reach) : [] });
    setStyle(this.#view, '--chart-height', this.options.height + 'px');
  }
}
