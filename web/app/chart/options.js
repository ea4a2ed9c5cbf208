/* SPDX-License-Identifier: ISC */
/*
 * What uPlot is told: axes, lines and shading in the colours of the page. Series of
 * uPlot are the time, then the edges of the bands, then the means: no band lies over a
 * line.
 */

import { el } from '../dom.js';
import { axisTexts, timeTexts } from '../format.js';
import { palette } from '../palette.js';
import { MARK_LANE, paintMarks } from './marks.js';
import { isolated, nearest, valueRange } from './shape.js';

/* Shades over each other add up: paler the more there are. */
const BAND_ALPHAS = ['00', '40', '30', '26', '22'];
const BAND_ALPHA_OF_MANY = '1a';
const NARROW_PX = 480;

/* options: of makeChart; chart: { width, font, meanAt(i), color(i), step(at), range(),
 * marks(), onCursor(u), onSelect(u) } */
export function plotOptions({ series, band, height, unit, marks, onZoom }, chart) {
  const isNarrow = chart.width < NARROW_PX;
  const alpha = BAND_ALPHAS[series.length] ?? BAND_ALPHA_OF_MANY;
  const lines = { stroke: () => palette().line, width: 1 };
  const axis = { stroke: () => palette().muted, font: chart.font, gap: 4, grid: lines,
    ticks: { ...lines, size: 4 } };
  const edge = { points: { show: false }, width: 0, stroke: null };
  return {
    width: chart.width,
    height,
    ms: 1,
    padding: [marks ? MARK_LANE + 4 : 8, isNarrow ? 8 : 16, 0, 0],
    legend: { show: false },
    focus: { alpha: 0.2 },
    cursor: {
      y: false,
      drag: { x: onZoom !== null, y: false, setScale: false, dist: 4 },
      bind: { dblclick: () => null },
      dataIdx: (u, at, closest, time) => at === 0 ? closest
        : nearest(u.data[0], u.data[at], closest, time, chart.step(at)),
      points: {
        show: (u, at) => at >= chart.meanAt(0) ? el('div', {}) : null,
        size: () => 7,
        fill: (u, at) => chart.color(at - chart.meanAt(0)),
      },
    },
    scales: {
      x: { time: true, range: (u, min, max) => chart.range() ?? [min, max] },
      y: { range: (u, min, max) => valueRange(min, max, unit) },
    },
    axes: [
      { ...axis, space: isNarrow ? 64 : 84, size: 44,
        values: (u, splits, at, space, step) => timeTexts(splits, step) },
      /* One width for all: charts under each other have one time axis. */
      { ...axis, space: 34, size: 80,
        values: (u, splits) => axisTexts(splits, unit) },
    ],
    series: [
      {},
      ...(band ? series.flatMap(() => [edge, edge]) : []),
      ...series.map((s, i) => ({
        label: s.label,
        stroke: () => chart.color(i),
        width: 1.5,
        dash: s.dash,
        points: { show: false, size: 4, fill: () => chart.color(i),
          filter: (u, at) => isolated(u.data[at], ...u.series[at].idxs) },
      })),
    ],
    bands: band ? series.map((_, i) => ({ series: [2 + 2 * i, 1 + 2 * i],
      fill: () => chart.color(i) + alpha })) : [],
    hooks: {
      drawAxes: [(u) => paintMarks(u, chart.marks(), palette())],
      setCursor: [chart.onCursor],
      setSelect: [chart.onSelect],
    },
  };
}
