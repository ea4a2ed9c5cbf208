/* SPDX-License-Identifier: ISC */
/*
 * The core x time panel: how much time it shows, legend, canvas, and the reading of
 * one cell under the pointer, the finger or the arrow keys. What is pointed at is a
 * second of a core: the reading stays with it while the picture moves on.
 */

import { el, setAttribute, setHidden, setStyle, setText } from '../dom.js';
import { HeatCells } from '../heatcells.js';
import { layout, paint } from '../heatgrid.js';
import { HeatPlane } from '../heatplane.js';
import { cellStart } from '../history.js';
import { SPANS } from '../load.js';
import { onPaletteChange, palette } from '../palette.js';
import { choice } from './choice.js';
import { HeatCard } from './heatcard.js';
import { coreNumbers, description, endOf, hintText, marks } from './heatfacts.js';
import { waitingText } from './waiting.js';

const SPAN_CHOICES = SPANS.map((s) => [s, s < 3600 ? s / 60 + ' min' : s / 3600 + ' h']);
/* CSS pixels between a cell and its reading. */
const CARD_GAP = 10;

function legend() {
  const tick = (at, text) => el('span', { class: 'legend-tick legend-' + at }, text);
  return el('div', { class: 'legend', 'aria-hidden': 'true' },
    el('span', { class: 'legend-scale' },
      el('span', { class: 'legend-ramp' }),
      tick('0', '0'), tick('50', '50'), tick('90', '90 %, at its limit')),
    el('span', { class: 'legend-item' }, el('span', { class: 'swatch hatch' }), 'no value'),
    el('span', { class: 'legend-item' },
      el('span', { class: 'legend-findings' },
        ...['info', 'warn', 'crit'].map((s) => el('span', { class: 'legend-' + s }))),
      'finding'));
}

class Heatmap {
  #legend = legend();
  #hint = el('p', { class: 'heat-hint muted' });
  #empty = el('p', { class: 'heat-empty muted', role: 'status', hidden: true });
  #canvas = el('canvas', { role: 'img', tabindex: '0', 'aria-describedby': 'readout' });
  #cross = el('span', { class: 'cross', hidden: true });
  #card = new HeatCard('readout');
  #box = el('div', { class: 'heat' }, this.#canvas, this.#cross, this.#card.node, this.#empty);
  #context = this.#canvas.getContext('2d');
  #plane = new HeatPlane();
  #cells = new HeatCells();
  #spans;
  #spanMs = 1000 * SPANS[0];
  #store = null;
  #grid = null;
  /* What is pointed at: a column counted from the epoch, and the row. */
  #cursor = null;
  #font = '';
  #colors = null;
  /* Of the box, told when it changes: asking for it lays the page out. */
  #width = 0;

  constructor(panel, onSpan) {
    this.#spans = choice('heat-span', 'How much time the heatmap shows', SPAN_CHOICES, (s) => {
      this.setSpan(s);
      onSpan(s);
    });
    panel.append(
      el('div', { class: 'panel-head' },
        el('div', { class: 'panel-title' },
          el('h2', { id: 'load-title' }, 'Packet load of each core'), this.#spans.node),
        this.#legend),
      this.#box, this.#hint);
    this.#spans.set(SPANS[0]);
    this.#listen();
    new ResizeObserver(([{ contentRect }]) => {
      this.#width = contentRect.width;
      this.draw();
    }).observe(this.#box);
    onPaletteChange(() => this.draw());
  }

  /* seconds: one of SPAN_CHOICES */
  setSpan(seconds) {
    this.#spans.set(seconds);
    this.#spanMs = 1000 * seconds;
    this.#cursor = null;
    this.draw();
  }

  update(store) {
    this.#store = store;
    this.draw();
  }

  draw() {
    const width = this.#width;
    const store = this.#store;
    if (store === null || width === 0)
      return;
    const cores = coreNumbers(store);
    this.#grid = layout(width, cores);
    const scale = window.devicePixelRatio || 1;
    const isKept = this.#plane.update(store.load, { cores, spanMs: this.#spanMs, toMs: endOf(store),
      width: Math.round(this.#grid.plot.width * scale), intervalMs: store.intervalMs });
    const isResized = this.#resize(Math.round(width * scale),
      Math.round(this.#grid.height * scale));
    const colors = palette();
    paint(this.#context, this.#grid, {
      isWhole: !isKept || isResized || colors !== this.#colors,
      cells: this.#cells, plane: this.#plane, scale, colors, font: this.#font,
      current: new Map(store.cores.map((c) => [c.core, c.packet_load])),
      marks: marks(store, this.#plane.span),
    });
    this.#colors = colors;
    setAttribute(this.#canvas, 'data-samples', String(store.load.points.length));
    setAttribute(this.#canvas, 'aria-label', description(store, this.#spanMs));
    setText(this.#empty, waitingText(store));
    const isEmpty = store.load.points.length === 0;
    setHidden(this.#empty, !isEmpty);
    setHidden(this.#canvas, isEmpty);
    setHidden(this.#legend, isEmpty);
    setText(this.#hint, hintText(this.#plane.columnMs, store));
    setHidden(this.#hint, isEmpty);
    this.#read();
  }

  #resize(width, height) {
    if (this.#canvas.width === width && this.#canvas.height === height)
      return false;
    this.#canvas.width = width;
    this.#canvas.height = height;
    setStyle(this.#canvas, 'height', this.#grid.height + 'px');
    this.#font = getComputedStyle(this.#canvas).fontFamily;
    return true;
  }

  #read() {
    const cell = this.#cell();
    setHidden(this.#cross, cell === null);
    if (cell === null) {
      this.#cursor = null;
      this.#card.hide();
      return;
    }
    const { plot, rowHeight, rowGap, width } = this.#grid;
    const x = plot.left + plot.width * (cell.column + 0.5) / this.#plane.width;
    const y = plot.top + this.#cursor.row * rowHeight;
    setStyle(this.#cross, 'transform', 'translate(' + x + 'px,' + y + 'px)');
    setStyle(this.#cross, 'height', Math.max(2, rowHeight - rowGap) + 'px');
    this.#card.show(cell, this.#store);
    const card = this.#card.node;
    const isLeft = x > width / 2;
    const left = isLeft ? x - CARD_GAP - card.offsetWidth : x + CARD_GAP;
    setStyle(card, 'transform', 'translate('
      + Math.max(0, Math.min(left, width - card.offsetWidth)) + 'px,' + (y + rowHeight + CARD_GAP)
      + 'px)');
  }

  /* What is pointed at; null: nothing, or it has left the picture. */
  #cell() {
    const grid = this.#grid;
    if (this.#cursor === null || grid === null || this.#cursor.row >= grid.cores.length)
      return null;
    const { right, width, columnMs } = this.#plane;
    const column = this.#cursor.column - (right - width);
    if (column < 0 || column >= width)
      return null;
    const core = grid.cores[this.#cursor.row];
    const { points } = this.#store.load;
    const at = this.#plane.samplesAt(points, this.#cursor.column, this.#store.intervalMs);
    const cell = { column, core, columnMs, ms: this.#store.intervalMs, load: null,
      t: (this.#cursor.column + 1) * columnMs };
    for (let i = at?.[0] ?? 1; i <= (at?.[1] ?? 0); i++) {
      const load = points[i].values.get(core) ?? null;
      if (cell.load === null || load > cell.load)
        Object.assign(cell, { load, t: points[i].t, ms: points[i].ms ?? cell.ms });
    }
    return cell;
  }

  #point(event) {
    if (this.#grid === null)
      return;
    const { plot, rowHeight, cores } = this.#grid;
    const x = (event.offsetX - plot.left) / plot.width;
    const row = Math.floor((event.offsetY - plot.top) / rowHeight);
    const { right, width } = this.#plane;
    this.#cursor = x >= 0 && x < 1 && row >= 0 && row < cores.length
      ? { column: right - width + Math.floor(x * width), row } : null;
    this.#read();
  }

  #leave() {
    this.#cursor = null;
    this.#read();
  }

  #listen() {
    const on = (name, f) => this.#canvas.addEventListener(name, f);
    on('pointermove', (event) => this.#point(event));
    on('pointerdown', (event) => this.#point(event));
    /* A finger that is lifted leaves its reading. */
    on('pointerleave', (event) => event.pointerType === 'mouse' && this.#leave());
    on('blur', () => this.#leave());
    on('keydown', (event) => this.#key(event));
  }

  #key(event) {
    if (this.#grid === null || !Object.hasOwn(MOVES, event.key))
      return;
    event.preventDefault();
    const { right, width } = this.#plane;
    const from = this.#cursor ?? { column: right - 1, row: 0 };
    const to = MOVES[event.key]({ ...from, left: right - width, right,
      step: (direction) => this.#beside(from.column, direction) });
    const clamp = (v, least, most) => Math.min(most, Math.max(least, v));
    this.#cursor = to && { column: clamp(to.column ?? from.column, right - width, right - 1),
      row: clamp(to.row ?? from.row, 0, this.#grid.cores.length - 1) };
    this.#read();
  }

  /* The column of the sample before or after; the next column where several samples
   * share one. */
  #beside(column, direction) {
    const { points } = this.#store.load;
    const at = this.#plane.samplesAt(points, column, this.#store.intervalMs);
    if (at === null)
      return column + direction;
    if (direction > 0) {
      const next = points[at[1] + 1];
      return Math.max(column + 1, next === undefined ? 0 : this.#plane.columnOf(next.t));
    }
    return Math.min(column - 1,
      this.#plane.columnOf(cellStart(points, at[0], this.#store.intervalMs)));
  }
}

/* One sample left or right, one core up or down. */
const MOVES = {
  ArrowLeft: ({ step }) => ({ column: step(-1) }),
  ArrowRight: ({ step }) => ({ column: step(1) }),
  ArrowUp: ({ row }) => ({ row: row - 1 }),
  ArrowDown: ({ row }) => ({ row: row + 1 }),
  Home: ({ left }) => ({ column: left }),
  End: ({ right }) => ({ column: right - 1 }),
  Escape: () => null,
};

/* onSpan(seconds): the reader has chosen. */
export function heatmapView(panel, onSpan) {
  return new Heatmap(panel, onSpan);
}
