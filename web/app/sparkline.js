/* SPDX-License-Identifier: ISC */
/*
 * A small trace of two values that share a scale: one upward from the middle,
 * the other downward. Decoration beside figures, never the only place of a
 * value.
 */

import { cellStart } from './history.js';

/* The size of a canvas is told when it changes: to ask for it in the middle of a
 * repaint lays the whole page out once more. onSize() is called then. */
export function watchSize(canvas, onSize) {
  const size = { width: 0, height: 0 };
  new ResizeObserver(([{ contentRect }]) => {
    size.width = contentRect.width;
    size.height = contentRect.height;
    onSize();
  }).observe(canvas);
  return size;
}

/* size: of watchSize; series: [[key, colour], [key, colour]]; span: { from, to,
 * intervalMs }. */
export function paintSparkline(canvas, size, points, series, span) {
  const scale = window.devicePixelRatio || 1;
  const width = Math.round(size.width * scale);
  const height = Math.round(size.height * scale);
  if (width === 0 || height === 0)
    return;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d');
  context.clearRect(0, 0, width, height);
  const most = highest(points, series.map(([key]) => key));
  const middle = Math.round(height / 2);
  for (const [i, [key, color]] of series.entries()) {
    context.fillStyle = color;
    const room = i === 0 ? middle - 1 : height - middle - 1;
    const tops = pixelTops(points, key, span, width);
    /* A known zero is a hairline, no value is nothing; pixels of one height are one
     * rectangle. */
    const heightOf = (v) => v === undefined ? 0 : Math.max(scale, room * v / most);
    for (let x = 0; x < width;) {
      const h = heightOf(tops[x]);
      const from = x++;
      while (x < width && heightOf(tops[x]) === h)
        x++;
      if (h > 0)
        context.fillRect(from, i === 0 ? middle - h : middle + 1, x - from, h);
    }
  }
}

function highest(points, keys) {
  let most = 1;
  for (const point of points) {
    for (const key of keys)
      most = Math.max(most, point.values.get(key) ?? 0);
  }
  return most;
}

/* The highest value on each pixel, undefined where there is none. */
function pixelTops(points, key, span, width) {
  const tops = new Array(width);
  const x = (t) => Math.floor((t - span.from) / (span.to - span.from) * width);
  for (let i = 0; i < points.length; i++) {
    const v = points[i].values.get(key);
    if (typeof v !== 'number')
      continue;
    const end = Math.min(width - 1, x(points[i].t));
    for (let at = Math.max(0, x(cellStart(points, i, span.intervalMs))); at <= end; at++)
      tops[at] = Math.max(tops[at] ?? 0, v);
  }
  return tops;
}
