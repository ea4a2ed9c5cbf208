/* SPDX-License-Identifier: ISC */
/*
 * Marks on the time line of a chart: findings with the time they stood, settings
 * that changed. Each kind has a shape of its own beside its colour.
 */

/* Room above the plot, CSS pixels. */
export const MARK_LANE = 14;
const SIZE = 5;
/* Marks closer than this share one line and one shape. */
const APART_PX = 4;
const ORDER = ['change', 'info', 'warn', 'crit'];

/* Corners of each shape, around its middle, 1 = half its size. */
const SHAPES = {
  change: [[0, -1], [1, 0], [0, 1], [-1, 0]],
  info: [[-0.5, -1], [0.5, -1], [1, -0.5], [1, 0.5], [0.5, 1], [-0.5, 1], [-1, 0.5], [-1, -0.5]],
  warn: [[0, -1], [1.1, 0.9], [-1.1, 0.9]],
  crit: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
};

function colorOf(kind, colors) {
  return kind === 'change' ? colors.ink : colors[kind] ?? colors.muted;
}

/* marks: [{ atMs, toMs | null, kind, label }] */
export function paintMarks(u, marks, colors) {
  const { ctx, bbox } = u;
  const scale = devicePixelRatio || 1;
  const [from, to] = [u.scales.x.min, u.scales.x.max];
  if (from === null || from === undefined || to === null)
    return;
  const x = (t) => u.valToPos(Math.min(to, Math.max(from, t)), 'x', true);
  const middle = bbox.top - (MARK_LANE / 2) * scale;
  ctx.save();
  /* The most severe last: it lies on top. */
  const ordered = marks.filter((m) => m.atMs <= to && (m.toMs ?? m.atMs) >= from)
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  const taken = new Map();
  for (const mark of ordered) {
    const color = colorOf(mark.kind, colors);
    const [x0, x1] = [x(mark.atMs), x(mark.toMs ?? mark.atMs)];
    ctx.fillStyle = color;
    if (x1 - x0 > scale) {
      ctx.globalAlpha = 0.07;
      ctx.fillRect(x0, bbox.top, x1 - x0, bbox.height);
      ctx.globalAlpha = 1;
      ctx.fillRect(x0, middle - 1.5 * scale, x1 - x0, 3 * scale);
    }
    if (mark.atMs < from)
      continue;
    const slot = mark.kind + Math.round(x0 / (APART_PX * scale));
    if (taken.has(slot))
      continue;
    taken.set(slot, true);
    ctx.globalAlpha = 0.55;
    ctx.strokeStyle = color;
    ctx.lineWidth = scale;
    ctx.setLineDash(mark.kind === 'change' ? [3 * scale, 3 * scale] : []);
    ctx.beginPath();
    ctx.moveTo(Math.round(x0) + 0.5, bbox.top);
    ctx.lineTo(Math.round(x0) + 0.5, bbox.top + bbox.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
    shape(ctx, SHAPES[mark.kind] ?? SHAPES.info, x0, middle, SIZE * scale);
  }
  ctx.restore();
}

function shape(ctx, corners, x, y, size) {
  ctx.beginPath();
  for (const [dx, dy] of corners)
    ctx.lineTo(x + dx * size, y + dy * size);
  ctx.closePath();
  ctx.fill();
}

/* Marks whose begin is at most reachMs from a time, else those that stood then. */
export function marksNear(marks, timeMs, reachMs) {
  const begins = marks.filter((m) => Math.abs(m.atMs - timeMs) <= reachMs);
  return begins.length > 0 ? begins
    : marks.filter((m) => m.toMs !== null && m.atMs <= timeMs && timeMs <= m.toMs);
}
