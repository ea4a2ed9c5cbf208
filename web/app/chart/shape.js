/* SPDX-License-Identifier: ISC */
/*
 * What a chart needs to know of its values: how far its axis goes, and which of
 * them stand alone. Pure.
 */

/* A share of something is seen against the whole once it is worth it. */
const RATIO_TOPS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1];
/* Levels that zero says nothing about. */
const FLOATING = new Set(['Hz', 'celsius']);

/* [lowest, highest] of the axis of values min to max; null: there are none. */
export function valueRange(min, max, unit) {
  if (!Number.isFinite(min) || !Number.isFinite(max))
    return [0, 1];
  if (unit === 'ratio' && min >= 0 && max <= 1.0005)
    return [0, RATIO_TOPS.find((top) => max <= top * 0.95) ?? 1];
  if (FLOATING.has(unit) && min > 0) {
    const room = Math.max((max - min) * 0.1, max * 0.01);
    return [Math.max(0, min - room), max + room];
  }
  if (max <= 0 && min >= 0)
    return [0, 1];
  return [Math.min(0, min * 1.08), Math.max(0, max * 1.08)];
}

/* Indices of values with none on either side: no line would show them. undefined
 * is no hole, only another series has a value there. null: there are none. */
export function isolated(values, first, last) {
  const found = [];
  let before = null;
  let alone = -1;
  for (let i = first; i <= last; i++) {
    const v = values[i];
    if (v === undefined)
      continue;
    if (v === null) {
      if (alone >= 0)
        found.push(alone);
      alone = -1;
    } else {
      alone = before === null ? i : -1;
    }
    before = v;
  }
  if (alone >= 0)
    found.push(alone);
  return found.length > 0 ? found : null;
}

/* How far apart the values of a series are; 0: there is only one, or none. */
export function stepOf(times, values) {
  const first = values.findIndex((v) => v !== undefined);
  const next = values.findIndex((v, i) => i > first && v !== undefined);
  return first >= 0 && next >= 0 ? times[next] - times[first] : 0;
}

/* Index of the value that a time belongs to, beginning at the closest of all times;
 * null: none is near. A gap is near, too: it has no value. */
export function nearest(times, values, closest, time, step) {
  const reach = Math.max(step, 1000);
  let found = null;
  const look = (i) => {
    if (values[i] !== undefined && Math.abs(times[i] - time) <= reach && (found === null
      || Math.abs(times[i] - time) < Math.abs(times[found] - time)))
      found = i;
  };
  for (let i = closest; i >= 0 && time - times[i] <= reach; i--)
    look(i);
  for (let i = closest + 1; i < times.length && times[i] - time <= reach; i++)
    look(i);
  return found;
}
