/* SPDX-License-Identifier: ISC */
/*
 * Draws the core x time grid on a canvas: geometry and painting, no state. The
 * cells are those of a plane (heatplane.js, heatcells.js); marks, axis and labels
 * are written here.
 */

import { minute, percent } from './format.js';

const LANE = 5;
const LANE_GAP = 5;
const AXIS = 22;
const LABEL_PX = 12;
/* Rows at least this high get a label each. */
const LABELLED_ROW = 13;

/* Of many rows only the most loaded ones are told. */
const TOLD_MAX = 12;

/* Times written below, as close as their words allow. */
const TICK_STEPS = [1, 2, 5, 10, 20, 30, 60].map((minutes) => 60000 * minutes);
const TICK_ROOM = 64;

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

/* isWhole: the names of the cores too, which a tick does not change. context: in
 * device pixels; cells: HeatCells, plane: HeatPlane; marks:
 * [{ from, to, severity }] of findings; current: Map core -> load | null. */
export function paint(context, grid, options) {
  const { isWhole, cells, plane, marks, current, colors, scale, font } = options;
  context.setTransform(1, 0, 0, 1, 0, 0);
  const left = isWhole ? 0 : Math.round(grid.plot.left * scale);
  context.clearRect(left, 0, context.canvas.width, context.canvas.height);
  cells.draw(context, plane, grid, colors, scale);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = LABEL_PX + 'px ' + font;
  paintMarks(context, grid, plane.span, marks, colors);
  paintAxis(context, grid, plane.span, colors);
  context.textBaseline = 'middle';
  if (isWhole)
    paintNames(context, grid, colors);
  paintLoads(context, grid, current, colors);
}

/* [top, height] of a row in device pixels. */
export function rowBox(grid, row, scale) {
  const y0 = Math.round((grid.plot.top + row * grid.rowHeight) * scale);
  const y1 = Math.round((grid.plot.top + (row + 1) * grid.rowHeight - grid.rowGap) * scale);
  return [y0, Math.max(1, y1 - y0)];
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
  const room = TICK_ROOM * (span.to - span.from) / width;
  const step = TICK_STEPS.find((ms) => ms >= room) ?? TICK_STEPS.at(-1);
  for (let t = Math.ceil(span.from / step) * step; t <= span.to; t += step) {
    const x = left + width * ratioOf(span, t);
    context.fillRect(Math.round(x), bottom + 1, 1, 4);
    if (x - left > 20 && end - x > 44)
      context.fillText(minute(t), x, bottom + 18);
  }
  context.textAlign = 'right';
  context.fillText('now', end, bottom + 18);
}

/* Where the middle of a row is. */
function middleOf(grid, row) {
  return grid.plot.top + (row + 0.5) * grid.rowHeight - grid.rowGap / 2 + 0.5;
}

function paintNames(context, grid, colors) {
  const step = [1, 2, 4, 8, 16, 32, 64].find((n) => n * grid.rowHeight >= LABELLED_ROW) ?? 128;
  context.textAlign = 'right';
  context.fillStyle = colors.muted;
  for (const [row, core] of grid.cores.entries()) {
    const text = grid.isNarrow ? String(core) : 'core ' + core;
    if (row % step === 0)
      context.fillText(text, grid.plot.left - 8, middleOf(grid, row));
  }
}

function paintLoads(context, grid, current, colors) {
  context.textAlign = 'left';
  const x = grid.plot.left + grid.plot.width + 8;
  for (const row of labelledRows(grid, current)) {
    const core = grid.cores[row];
    const load = current.get(core) ?? null;
    context.fillStyle = load !== null && load >= 0.5 ? colors.ink : colors.muted;
    context.fillText((grid.isThin ? core + ': ' : '') + percent(load), x, middleOf(grid, row));
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
    if (taken.length < TOLD_MAX && taken.every((other) => Math.abs(other - row) >= distance))
      taken.push(row);
  }
  return taken;
}
