/* SPDX-License-Identifier: ISC */
/*
 * The last minutes of some values, ordered by the time of the sample and not
 * by its arrival: points from the stream and from the stored history meet
 * here. Bounded in time and number. Pure.
 */

export class History {
  /* points: [{ t: epoch ms, values: Map key -> number | null }], ascending. */
  constructor(spanMs, maxPoints) {
    this.spanMs = spanMs;
    this.maxPoints = maxPoints;
    this.points = [];
  }

  get newest() {
    return this.points.length > 0 ? this.points[this.points.length - 1].t : null;
  }

  /* A live sample. What lies ahead of it stays: after a reconnection older
   * samples are sent again. */
  add(t, values, toleranceMs) {
    const point = { t, values };
    if (this.points.length > 0 && t < this.newest + toleranceMs)
      this.merge([point], toleranceMs);
    else
      this.points.push(point);
    this.#prune();
  }

  /* The clock was set back to t: what claims to be later is void. */
  dropFrom(t) {
    while (this.points.length > 0 && this.newest >= t)
      this.points.pop();
  }

  /* Stored points [{ t, values }], ascending. Of two closer than toleranceMs the
   * one that is already here stays: both tell of the same sample. */
  merge(stored, toleranceMs) {
    const own = this.points;
    const merged = [];
    let i = 0;
    for (const point of stored) {
      while (i < own.length && own[i].t <= point.t - toleranceMs)
        merged.push(own[i++]);
      const isOwn = i < own.length && own[i].t < point.t + toleranceMs;
      merged.push(isOwn ? own[i++] : point);
    }
    while (i < own.length)
      merged.push(own[i++]);
    this.points = merged;
    this.#prune();
  }

  #prune() {
    const oldest = this.newest - this.spanMs;
    let drop = Math.max(0, this.points.length - this.maxPoints);
    while (drop < this.points.length && this.points[drop].t <= oldest)
      drop++;
    if (drop > 0)
      this.points.splice(0, drop);
  }
}

/* The points of an answer of /api/v1/series in columns; keyOf(labels) names a
 * series. */
export function pointsOfSeries(answer, keyOf, factor = 1) {
  const points = answer.time_ms.map((t) => ({ t, values: new Map() }));
  for (const one of answer.series) {
    const key = keyOf(one.labels);
    const n = Math.min(points.length, one.values.length);
    for (let i = 0; i < n; i++) {
      const v = one.values[i];
      points[i].values.set(key, v === null ? null : v * factor);
    }
  }
  return points;
}

/* When a sample's cell begins: at the sample before it, or one interval back
 * after a gap. */
export function cellStart(points, i, intervalMs) {
  const t = points[i].t;
  const before = i > 0 ? points[i - 1].t : -Infinity;
  return t - before < 1.75 * intervalMs ? before : t - intervalMs;
}
