/* SPDX-License-Identifier: ISC */
/*
 * All findings that can be shown: what the store of the daemon holds, kept current
 * by what the stream brings. The rest of the page keeps only the latest. Pure.
 */

/* Whether b is later news of the same finding than a. One that is raised again
 * shortly after is the same with one more episode. */
function isNews(a, b) {
  if ((a.episodes ?? 1) !== (b.episodes ?? 1))
    return (b.episodes ?? 1) > (a.episodes ?? 1);
  return !(a.cleared_ms && !b.cleared_ms);
}

export class Known {
  #byId = new Map();
  isWhole = false;

  get all() {
    return [...this.#byId.values()];
  }

  get(id) {
    return this.#byId.get(id) ?? null;
  }

  /* The answer to the question for all of them. */
  replace(list) {
    this.#byId = new Map(list.map((f) => [f.id, f]));
    this.isWhole = true;
  }

  /* latest: what the page follows. False when that does not fit what is here: an
   * active one is gone, so the list must be asked for again. */
  follow(latest) {
    const ids = new Set();
    for (const f of latest) {
      ids.add(f.id);
      const own = this.#byId.get(f.id);
      if (own === undefined || isNews(own, f))
        this.#byId.set(f.id, f);
    }
    return this.all.every((f) => f.cleared_ms || ids.has(f.id));
  }
}
