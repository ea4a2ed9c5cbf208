/* SPDX-License-Identifier: ISC */
/*
 * Draws the core x time grid on a canvas: geometry and painting, no state.
 * Columns lie where their times are. Where several samples share one device
 * pixel the highest wins, so that a peak survives on a narrow screen. What has
 * no value stays hatched.
 */

import { minute, percent } from './format.js';
import { cellStart } from './history.js';
import { heatLevel } from './palette.js';

const LANE = 5;
const LANE_GAP = 5;
const AXIS = 22;
const LABEL_PX = 12;
/* Rows at least this high get a label each. */
const LABELLED_ROW = 13;

/* Row height by the number of cores: [up to, height]. */
const ROW_HEIGHTS = [[1, 56], [2, 48], [4, 34], [8, 26], [16, 18], [32, 13], [64, 9], [128, 5],
  [256, 3], [512, 2]];

function rowHeight(n) {
  return ROW_HEIGHTS.find(([most]) => n <= most)?.[1] ?? 1;
}

/* Where everything is, in CSS pixels. */
export function layout(width, cores) {
  const height = rowHeight(cores.length);
  const isThin = height < LABELLED_ROW;
  const digits = String(cores.at(-1) ?? 0).length;
  const isNarrow = width < 480;
  const left = isNarrow ? 10 + 7 * digits : 42 + 8 * digits;
  const right = isThin ? 60 + 8 * digits : 50;
  const top = LANE + LANE_GAP;
  return {
    width,
    cores,
    rowHeight: height,
    rowGap: height >= 13 ? 2 : height >= 4 ? 1 : 0,
    isThin,
    isNarrow,
    plot: { left, top, width: Math.max(1, width - left - right), height: height * cores.length },
    height: top + height * cores.length + AXIS,
  };
}

/* Where a time lies between the ends, 0..1. */
function ratioOf(span, t) {
  return Math.min(1, Math.max(0, (t - span.from) / (span.to - span.from)));
}

/* The samples by the device pixels they cover: [{ x0, x1, first, last }]. */
function columns(points, grid, span, scale) {
  const width = Math.round(grid.plot.width * scale);
  const x = (t) => Math.round(width * ratioOf(span, t));
  const result = [];
  let first = -1;
  let x0 = 0;
  for (let i = 0; i < points.length; i++) {
    if (points[i].t <= span.from)
      continue;
    const begin = x(cellStart(points, i, span.intervalMs));
    const end = x(points[i].t);
    /* Less than a pixel so far: goes on, unless a gap follows. */
    if (first < 0 || begin > x0) {
      first = i;
      x0 = begin;
    }
    if (end > x0) {
      result.push({ x0, x1: end, first, last: i });
      first = -1;
    }
  }
  return result;
}

function highest(points, column, core) {
  let most = null;
  for (let i = column.first; i <= column.last; i++) {
    const v = points[i].values.get(core);
    if (typeof v === 'number' && (most === null || v > most))
      most = v;
  }
  return most;
}

/* context: in device pixels. span: { from, to, intervalMs }; marks:
 * [{ from, to, severity }] of findings; current: Map core -> load | null. */
export function paint(context, grid, { points, span, marks, current, colors, scale, font }) {
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  paintHatch(context, grid, colors, scale);
  paintCells(context, grid, points, columns(points, grid, span, scale), colors, scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = LABEL_PX + 'px ' + font;
  paintMarks(context, grid, span, marks, colors);
  paintAxis(context, grid, span, colors);
  paintLabels(context, grid, current, colors);
}

function rowBox(grid, row, scale) {
  const y0 = Math.round((grid.plot.top + row * grid.rowHeight) * scale);
  const y1 = Math.round((grid.plot.top + (row + 1) * grid.rowHeight - grid.rowGap) * scale);
  return [y0, Math.max(1, y1 - y0)];
}

function paintHatch(context, grid, colors, scale) {
  const step = Math.round(6 * scale);
  const tile = new OffscreenCanvas(step, step);
  const t = tile.getContext('2d');
  t.strokeStyle = colors.hatch;
  t.lineWidth = scale;
  t.beginPath();
  for (const shift of [-step, 0, step]) {
    t.moveTo(shift - 1, step + 1);
    t.lineTo(shift + step + 1, -1);
  }
  t.stroke();
  context.fillStyle = context.createPattern(tile, 'repeat');
  const left = Math.round(grid.plot.left * scale);
  const width = Math.round(grid.plot.width * scale);
  for (let row = 0; row < grid.cores.length; row++) {
    const [y, height] = rowBox(grid, row, scale);
    context.fillRect(left, y, width, height);
  }
}

/* Neighbours of one colour are one rectangle: an idle row costs one call. */
function paintCells(context, grid, points, cells, colors, scale) {
  const left = Math.round(grid.plot.left * scale);
  for (const [row, core] of grid.cores.entries()) {
    const [y, height] = rowBox(grid, row, scale);
    let level = -1;
    let from = 0;
    let to = 0;
    const flush = () => {
      if (level < 0)
        return;
      context.fillStyle = colors.heat[level];
      context.fillRect(left + from, y, to - from, height);
    };
    for (const cell of cells) {
      const v = highest(points, cell, core);
      const next = v === null ? -1 : heatLevel(v);
      if (next !== level || cell.x0 !== to) {
        flush();
        level = next;
        from = cell.x0;
      }
      to = cell.x1;
    }
    flush();
  }
}

function paintMarks(context, grid, span, marks, colors) {
  const { left, width } = grid.plot;
  const x = (t) => left + width * ratioOf(span, t);
  for (const mark of marks) {
    const x0 = x(mark.from);
    context.fillStyle = colors[mark.severity] ?? colors.muted;
    context.fillRect(x0, 0, Math.max(2, x(mark.to) - x0), LANE);
  }
}

function paintAxis(context, grid, span, colors) {
  const { left, top, width, height } = grid.plot;
  const bottom = top + height;
  context.textBaseline = 'alphabetic';
  context.textAlign = 'center';
  context.fillStyle = colors.muted;
  const end = left + width;
  context.fillRect(left, bottom + 1, width, 1);
  const step = grid.plot.width < 320 ? 120000 : 60000;
  for (let t = Math.ceil(span.from / step) * step; t <= span.to; t += step) {
    const x = left + width * ratioOf(span, t);
    context.fillRect(Math.round(x), bottom + 1, 1, 4);
    if (x - left > 16 && end - x > 44)
      context.fillText(minute(t), x, bottom + 18);
  }
  context.textAlign = 'right';
  context.fillText('now', end, bottom + 18);
}

function paintLabels(context, grid, current, colors) {
  context.textBaseline = 'middle';
  const first = grid.plot.top + (grid.rowHeight - grid.rowGap) / 2 + 0.5;
  const middle = (row) => first + row * grid.rowHeight;
  const step = [1, 2, 4, 8, 16, 32, 64].find((n) => n * grid.rowHeight >= LABELLED_ROW) ?? 128;
  context.textAlign = 'right';
  context.fillStyle = colors.muted;
  for (const [row, core] of grid.cores.entries()) {
    const text = grid.isNarrow ? String(core) : 'core ' + core;
    if (row % step === 0)
      context.fillText(text, grid.plot.left - 8, middle(row));
  }
  context.textAlign = 'left';
  const x = grid.plot.left + grid.plot.width + 8;
  for (const row of labelledRows(grid, current)) {
    const core = grid.cores[row];
    const load = current.get(core) ?? null;
    context.fillStyle = load !== null && load >= 0.5 ? colors.ink : colors.muted;
    context.fillText((grid.isThin ? core + ': ' : '') + percent(load), x, middle(row));
  }
}

/* All rows where there is room; else the most loaded first, without overlap. */
function labelledRows(grid, current) {
  const rows = grid.cores.map((_, row) => row);
  if (!grid.isThin)
    return rows;
  const load = (row) => current.get(grid.cores[row]) ?? -1;
  const distance = Math.ceil(LABELLED_ROW / grid.rowHeight);
  const taken = [];
  for (const row of rows.filter((r) => load(r) >= 0.1).sort((a, b) => load(b) - load(a))) {
    if (taken.every((other) => Math.abs(other - row) >= distance))
      taken.push(row);
  }
  return taken;
}
