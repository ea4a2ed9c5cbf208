/* SPDX-License-Identifier: ISC */
/*
 * The cells of the heatmap, a byte for each device pixel column and core: what a
 * tick changes is one column, so the rest is shifted and not looked at again. The
 * highest of several samples that share a column wins: a peak of one second
 * survives in an hour. Columns lie on a grid of their own, counted from the epoch, so
 * that a sample has the same ones wherever it has moved to. Pure.
 */

import { cellStart } from './history.js';
import { heatLevel } from './palette.js';

export class HeatPlane {
  width = 0;
  cores = [];
  /* By row: 0 no value, else 1 + its level. */
  levels = new Uint8Array(0);
  /* Milliseconds a column, and the number of the one behind the last. */
  columnMs = 1;
  right = 0;
  #spanMs = 0;
  #revision = -1;
  #newest = -Infinity;

  /* What the columns stand for. */
  get span() {
    return { from: (this.right - this.width) * this.columnMs, to: this.right * this.columnMs };
  }

  /* history: of history.js; width in columns, toMs: the time at the right end. Whether
   * what was there stays, but for its place. */
  update(history, { cores, width, spanMs, toMs, intervalMs }) {
    const isKept = width === this.width && spanMs === this.#spanMs
      && history.revision === this.#revision && cores.length === this.cores.length
      && cores.every((core, row) => core === this.cores[row]);
    this.columnMs = spanMs / width;
    const shift = Math.round(toMs / this.columnMs) - this.right;
    this.right += shift;
    if (isKept && shift >= 0 && shift < width) {
      this.#shift(shift);
    } else {
      if (this.levels.length === width * cores.length)
        this.levels.fill(0);
      else
        this.levels = new Uint8Array(width * cores.length);
      this.#newest = -Infinity;
    }
    Object.assign(this, { width, cores });
    this.#spanMs = spanMs;
    this.#revision = history.revision;
    this.#add(history.points, intervalMs);
    return isKept;
  }

  #shift(columns) {
    if (columns === 0)
      return;
    this.levels.copyWithin(0, columns);
    for (let row = 0; row < this.cores.length; row++)
      this.levels.fill(0, (row + 1) * this.width - columns, (row + 1) * this.width);
  }

  /* Points later than what is there already. */
  #add(points, intervalMs) {
    const oldest = Math.max(this.#newest, this.span.from);
    let i = points.length;
    while (i > 0 && points[i - 1].t > oldest)
      i--;
    let index = null;
    let places = [];
    for (; i < points.length; i++) {
      const { values } = points[i];
      if (values.index !== index) {
        index = values.index;
        places = this.cores.map((core) => index.get(core) ?? -1);
      }
      const [begin, end] = this.#columns(points, i, intervalMs);
      for (const [row, place] of places.entries()) {
        const v = place < 0 ? NaN : values.numbers[place];
        if (!Number.isNaN(v))
          this.#raise(row, begin, end, 1 + heatLevel(v));
      }
    }
    this.#newest = points.at(-1)?.t ?? -Infinity;
  }

  /* A sample shorter than a column is in the one it ends in. */
  #columns(points, i, intervalMs) {
    const first = this.right - this.width;
    const end = Math.round(points[i].t / this.columnMs);
    const begin = Math.round(cellStart(points, i, intervalMs) / this.columnMs);
    return [Math.max(0, Math.min(begin, end - 1) - first), Math.min(this.width, end - first)];
  }

  #raise(row, begin, end, level) {
    for (let at = row * this.width + begin; at < row * this.width + end; at++) {
      if (this.levels[at] < level)
        this.levels[at] = level;
    }
  }

  /* [first, last] of the points in a column counted from the epoch; null: none. */
  samplesAt(points, column, intervalMs) {
    let first = -1;
    let last = -1;
    const x = column - (this.right - this.width);
    for (let i = 0; i < points.length; i++) {
      if (points[i].t <= column * this.columnMs - this.columnMs)
        continue;
      const [begin, end] = this.#columns(points, i, intervalMs);
      if (begin > x)
        break;
      if (end <= x)
        continue;
      first = first < 0 ? i : first;
      last = i;
    }
    return first < 0 ? null : [first, last];
  }

  /* The column a time is the end of. */
  columnOf(t) {
    return Math.round(t / this.columnMs) - 1;
  }
}
