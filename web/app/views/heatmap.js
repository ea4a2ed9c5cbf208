/* SPDX-License-Identifier: ISC */
/*
 * The core x time panel: legend, canvas, and the reading of one cell under the
 * pointer, the finger or the arrow keys.
 */

import { el, setAttribute, setHidden, setStyle, setText } from '../dom.js';
import { clock, isKnown, percent } from '../format.js';
import { layout, paint } from '../heatgrid.js';
import { cellStart } from '../history.js';
import { onPaletteChange, palette } from '../palette.js';
import { SPAN_MS } from '../store.js';

const HINT = 'Point at a cell to read it.';

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

export function heatmapView(panel) {
  const readout = el('output', { class: 'readout muted', id: 'readout' }, HINT);
  const canvas = el('canvas', { role: 'img', tabindex: '0', 'aria-describedby': 'readout' });
  const cross = el('span', { class: 'cross', hidden: true });
  const box = el('div', { class: 'heat' }, canvas, cross);
  panel.append(
    el('div', { class: 'panel-head' },
      el('h2', { id: 'load-title' }, 'Packet load, last five minutes'), legend()),
    box, readout);

  const context = canvas.getContext('2d');
  let store = null;
  let grid = null;
  let span = null;
  /* What is pointed at: x as a share of the plot, and the row. */
  let cursor = null;

  const draw = () => {
    const width = box.clientWidth;
    if (store === null || width === 0)
      return;
    grid = layout(width, coreNumbers(store));
    span = timeSpan(store);
    const scale = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * scale), Math.round(grid.height * scale)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      setStyle(canvas, 'height', grid.height + 'px');
    }
    const { points } = store.load;
    const current = new Map(store.cores.map((c) => [c.core, c.packet_load]));
    paint(context, grid, {
      points, span, current, scale,
      marks: marks(store, span),
      colors: palette(),
      font: getComputedStyle(canvas).fontFamily,
    });
    canvas.dataset.samples = points.length;
    setAttribute(canvas, 'aria-label', description(store));
    read();
  };

  const read = () => {
    const at = cursor === null || grid === null ? null
      : cellAt(cursor, grid, span, store.load.points);
    setHidden(cross, at === null);
    setText(readout, at === null ? HINT : cellText(at));
    if (at === null)
      return;
    setStyle(cross, 'left', grid.plot.left + cursor.x * grid.plot.width + 'px');
    setStyle(cross, 'top', grid.plot.top + cursor.row * grid.rowHeight + 'px');
    setStyle(cross, 'height', Math.max(2, grid.rowHeight - grid.rowGap) + 'px');
  };

  const point = (event) => {
    if (grid === null)
      return;
    const x = (event.offsetX - grid.plot.left) / grid.plot.width;
    const row = Math.floor((event.offsetY - grid.plot.top) / grid.rowHeight);
    const isInside = x >= 0 && x <= 1 && row >= 0 && row < grid.cores.length;
    cursor = isInside ? { x, row } : null;
    read();
  };
  canvas.addEventListener('pointermove', point);
  canvas.addEventListener('pointerdown', point);
  canvas.addEventListener('pointerleave', (event) => {
    /* A finger that is lifted leaves its reading. */
    if (event.pointerType === 'mouse') {
      cursor = null;
      read();
    }
  });
  canvas.addEventListener('blur', () => {
    cursor = null;
    read();
  });
  canvas.addEventListener('keydown', (event) => {
    if (grid === null || !Object.hasOwn(MOVES, event.key))
      return;
    event.preventDefault();
    cursor = MOVES[event.key](cursor ?? { x: 1, row: 0 }, store.intervalMs / SPAN_MS,
      grid.cores.length - 1);
    read();
  });
  new ResizeObserver(draw).observe(box);
  onPaletteChange(draw);

  return (s) => {
    store = s;
    draw();
  };
}

/* One sample left or right, one core up or down. */
const MOVES = {
  ArrowLeft: (c, step) => ({ ...c, x: Math.max(0, c.x - step) }),
  ArrowRight: (c, step) => ({ ...c, x: Math.min(1, c.x + step) }),
  ArrowUp: (c) => ({ ...c, row: Math.max(0, c.row - 1) }),
  ArrowDown: (c, step, last) => ({ ...c, row: Math.min(last, c.row + 1) }),
  Home: (c) => ({ ...c, x: 0 }),
  End: (c) => ({ ...c, x: 1 }),
  Escape: () => null,
};

/* Those of the last tick; before it, those the history names. */
function coreNumbers(store) {
  if (store.cores.length > 0)
    return store.cores.map((c) => c.core);
  return [...(store.load.points.at(-1)?.values.keys() ?? [])].sort((a, b) => a - b);
}

/* Ends with the last sample; when none comes, a hole grows behind it. */
function timeSpan(store) {
  const newest = store.load.newest ?? store.nowMs;
  const to = store.isStale && store.sampledMs !== null ? Math.max(newest, store.nowMs) : newest;
  return { from: to - SPAN_MS, to, intervalMs: store.intervalMs };
}

/* The most severe last: it is painted over the others. */
function marks(store, span) {
  return [...store.cleared, ...store.active.reverse()]
    .map((f) => ({ from: f.raised_ms, to: f.cleared_ms || span.to, severity: f.severity }))
    .filter((mark) => mark.to > span.from);
}

function cellAt(cursor, grid, span, points) {
  if (cursor.row >= grid.cores.length)
    return null;
  const t = span.from + cursor.x * (span.to - span.from);
  const core = grid.cores[cursor.row];
  const i = points.findIndex((p) => p.t >= t);
  if (i < 0 || cellStart(points, i, span.intervalMs) > t)
    return { core, t, load: null };
  return { core, t: points[i].t, load: points[i].values.get(core) ?? null };
}

function cellText({ core, t, load }) {
  return 'Core ' + core + ' at ' + clock(t) + ': '
    + (load === null ? 'no value' : percent(load) + ' packet load');
}

function description(store) {
  const { summary } = store;
  const hottest = summary !== null && isKnown(summary.hottest_core)
    ? ' Hottest now: core ' + summary.hottest_core + ' at ' + percent(summary.hottest_core_load)
      + '.' : '';
  return 'Heatmap of the packet load of ' + store.cores.length
    + ' cores over five minutes.' + hottest + ' Arrow keys read single cells.';
}
