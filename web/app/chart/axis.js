/* SPDX-License-Identifier: ISC */
/*
 * Answers of history on one axis of time: what was sampled at other moments has its
 * own points. A value is undefined where only another answer has a time (no hole),
 * null where there is none. Pure.
 */

/* { times, place(answer's times, values, factor) -> values on that axis } */
export function commonAxis(answers) {
  const times = [...new Set(answers.flatMap((a) => a.time_ms))].sort((a, b) => a - b);
  return { times, place: placer(times) };
}

/* place() of times that are given. */
export function placer(times) {
  const at = new Map(times.map((t, i) => [t, i]));
  return (own, values, factor = 1) => {
    const placed = new Array(times.length).fill(undefined);
    for (let i = 0; i < own.length; i++) {
      const to = at.get(own[i]);
      if (to !== undefined)
        placed[to] = typeof values[i] === 'number' ? values[i] * factor : null;
    }
    return placed;
  };
}

/* At each of n times what combine makes of the values that are known then; null: none
 * is. */
export function combined(rows, n, combine) {
  const values = new Array(n);
  for (let i = 0; i < n; i++) {
    const known = rows.map((row) => row.values[i]).filter((v) => typeof v === 'number');
    values[i] = known.length > 0 ? combine(known) : null;
  }
  return values;
}

export const average = (list) => list.reduce((a, b) => a + b, 0) / list.length;
export const highest = (list) => list.reduce((a, b) => Math.max(a, b));
