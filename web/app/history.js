/* SPDX-License-Identifier: ISC */
/*
 * The last minutes of some values, ordered by the time of the sample and not
 * by its arrival: points from the stream and from the stored history meet
 * here. Bounded in time and number. Pure.
 */

/* The values of many keys at one time: an hour of 64 cores is 230 000 numbers, too
 * many for a Map each second. The index is shared by points of the same keys. NaN
 * is "not known". */
export class Values {
  constructor(index, numbers) {
    this.index = index;
    this.numbers = numbers;
  }

  /* before: the Values of a sample before, whose index may fit. */
  static of(entries, before = null) {
    const isSame = before !== null && before.index.size === entries.length
      && entries.every(([key], i) => before.index.get(key) === i);
    const index = isSame ? before.index : new Map(entries.map(([key], i) => [key, i]));
    return new Values(index, Float64Array.from(entries, ([, v]) => v ?? NaN));
  }

  /* undefined: there is no such key. */
  get(key) {
    const v = this.numbers[this.index.get(key)];
    return Number.isNaN(v) ? null : v;
  }

  keys() {
    return this.index.keys();
  }

  *[Symbol.iterator]() {
    for (const key of this.index.keys())
      yield [key, this.get(key)];
  }
}

export class History {
  /* Counts what happened other than a later point: what was drawn is void then. */
  revision = 0;

  /* points: [{ t: epoch ms, values: Values or Map, ms: what it covers, where that is
   * not the interval }], ascending. */
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
    this.revision++;
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
    this.revision++;
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
  const index = new Map();
  for (const one of answer.series) {
    const key = keyOf(one.labels);
    if (!index.has(key))
      index.set(key, index.size);
  }
  const ms = answer.resolution_ms ?? undefined;
  const points = answer.time_ms.map((t) =>
    ({ t, ms, values: new Values(index, new Float64Array(index.size).fill(NaN)) }));
  for (const one of answer.series) {
    const at = index.get(keyOf(one.labels));
    const n = Math.min(points.length, one.values.length);
    for (let i = 0; i < n; i++)
      points[i].values.numbers[at] = (one.values[i] ?? NaN) * factor;
  }
  return points;
}

/* When a sample's cell begins: at the sample before it, or what it covers back
 * after a gap. Beside a coarser one it may be the one that gave way to it. */
export function cellStart(points, i, intervalMs) {
  const { t, ms = intervalMs } = points[i];
  const { t: before, ms: coarse = ms } = i > 0 ? points[i - 1] : { t: -Infinity };
  return t - before < 1.75 * Math.max(ms, coarse) ? before : t - ms;
}
