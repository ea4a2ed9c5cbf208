/* SPDX-License-Identifier: ISC */
/*
 * The order of the cores' bars. Rows that change places each second cannot be read:
 * the hottest come first, but nobody moves more often than each few seconds nor for a
 * few points. Pure.
 */

import { sortCores } from '../map/choose.js';

const EACH_MS = 5000;

export class Order {
  #name = 'hottest';
  #memory = { coreOrder: [] };
  #at = -Infinity;

  set(name) {
    this.#name = name;
    this.#memory.coreOrder = [];
    this.#at = -Infinity;
  }

  /* cores, by number as they come; now: ms of a clock that does not jump. */
  sort(cores, now) {
    if (this.#name === 'number')
      return cores;
    const before = this.#memory.coreOrder;
    const isSame = cores.length === before.length && cores.every((c) => before.includes(c.core));
    if (isSame && now - this.#at < EACH_MS) {
      const place = new Map(before.map((core, i) => [core, i]));
      return [...cores].sort((a, b) => place.get(a.core) - place.get(b.core));
    }
    this.#at = now;
    return sortCores(cores, this.#memory);
  }
}
