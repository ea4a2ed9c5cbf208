/* SPDX-License-Identifier: ISC */
/*
 * A small drawing of before and after: the hottest core above, throughput below,
 * the two times that are compared shaded with their means, the moment as a line. It
 * repeats the figures beside it for the eye. Colours are in page.css.
 */

import { isKnown } from '../format.js';

const SVG = 'http://www.w3.org/2000/svg';
/* Of the view box; it is stretched to its place. */
const WIDTH = 300;
const LANE = 40;
const GAP = 8;
const HEIGHT = 2 * LANE + GAP;

/* "M.. L.." through the points that are known, broken where none is. Pure. */
export function pathOf(points, x, y, stepMs) {
  let text = '';
  let last = null;
  for (const { t, v } of points) {
    if (!isKnown(v))
      continue;
    const isNear = last !== null && t - last < 1.75 * stepMs;
    text += (isNear ? 'L' : 'M') + x(t).toFixed(1) + ' ' + y(v).toFixed(1);
    last = t;
  }
  return text;
}

function shape(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes))
    node.setAttribute(name, String(value));
  return node;
}

function lane(name, points, means, windows, { x, top, most, stepMs }) {
  const y = (v) => top + LANE - LANE * Math.min(1, Math.max(0, v / most));
  const nodes = [shape('path', { class: 'trace-base', d: `M0 ${top + LANE}H${WIDTH}` }),
    shape('path', { class: 'trace-line trace-' + name, d: pathOf(points, x, y, stepMs) })];
  for (const side of ['before', 'after']) {
    if (isKnown(means[side])) {
      nodes.push(shape('path', { class: 'trace-mean trace-' + name,
        d: `M${x(windows[side].fromMs)} ${y(means[side])}H${x(windows[side].toMs)}` }));
    }
  }
  return nodes;
}

/* measured: as measure() makes it. */
export function drawTrace({ trace, before, after, stepMs }, windows, moment) {
  const [from, to] = [windows.before.fromMs, windows.after.toMs];
  const x = (t) => Math.round((t - from) / (to - from) * WIDTH * 10) / 10;
  const svg = shape('svg', { class: 'trace-drawing', viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false' });
  for (const { fromMs, toMs } of [windows.before, windows.after]) {
    svg.append(shape('rect', { class: 'trace-window', x: x(fromMs), y: 0,
      width: x(toMs) - x(fromMs), height: HEIGHT }));
  }
  const most = Math.max(1, ...trace.bps.map((p) => p.v ?? 0));
  svg.append(
    ...lane('load', trace.hottest, { before: before.load, after: after.load }, windows,
      { x, top: 0, most: 1, stepMs }),
    ...lane('bps', trace.bps, { before: before.bps, after: after.bps }, windows,
      { x, top: LANE + GAP, most: 1.05 * most, stepMs }),
    shape('path', { class: 'trace-moment',
      d: `M${x((moment.fromMs + moment.toMs) / 2)} 0V${HEIGHT}` }));
  return svg;
}
