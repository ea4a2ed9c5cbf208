/* SPDX-License-Identifier: ISC */
/*
 * The list of changes that a page shows: the newest that pass its filter, older
 * ones when asked for, and those that come while it is open.
 */

import { get } from '../api.js';

const AT_ONCE = 100;
/* As many as the daemon tells at once: the oldest moment is asked for again with those
 * before it, and may alone be more than the first hundred. */
const OLDER = 1000;

/* filter: { device, kind }, '' for all. */
export function passes({ device, kind }, change) {
  return (device === '' || change.subject?.device === device)
    && (kind === '' || change.kind === kind);
}

/* Both lists, each change once, newest first. */
export function joined(a, b) {
  const byId = new Map([...a, ...b].map((c) => [c.id, c]));
  return [...byId.values()].sort((x, y) => y.at_ms - x.at_ms || y.id - x.id);
}

export class ChangeLog {
  /* null: not there yet */
  list = null;
  problem = null;
  /* Whether there are none before the oldest. */
  isWhole = false;
  isAsking = false;
  filter = { device: '', kind: '' };
  #onNews;
  #turn = 0;

  constructor(onNews) {
    this.#onNews = onNews;
  }

  /* What is shown for another filter is void; for the same one it stays until the
   * new list is there. */
  async load(filter) {
    if (filter.device !== this.filter.device || filter.kind !== this.filter.kind)
      this.list = null;
    this.filter = filter;
    await this.#ask({}, (answer) => answer);
  }

  async older() {
    const oldest = this.list?.at(-1);
    if (oldest !== undefined && !this.isAsking) {
      await this.#ask({ before: String(oldest.at_ms / 1000) },
        (answer) => joined(this.list, answer), OLDER);
    }
  }

  /* Changes the stream brought. */
  add(changes) {
    if (this.list === null)
      return;
    const newest = this.list[0]?.at_ms ?? 0;
    const known = new Set(this.list.map((c) => c.id));
    const news = changes.filter((c) => c.at_ms >= newest && !known.has(c.id)
      && passes(this.filter, c));
    if (news.length > 0)
      this.list = joined(news, this.list);
  }

  async #ask(range, take, limit = AT_ONCE) {
    const turn = ++this.#turn;
    this.isAsking = true;
    const { device, kind } = this.filter;
    const query = { ...range, limit: String(limit) };
    if (device !== '')
      query.device = device;
    if (kind !== '')
      query.kind = kind;
    try {
      const answer = await get('changes', query);
      if (turn !== this.#turn)
        return;
      this.list = take(answer);
      this.isWhole = answer.length < limit;
      this.problem = null;
    } catch (error) {
      if (turn === this.#turn)
        this.problem = error.message;
    } finally {
      if (turn === this.#turn) {
        this.isAsking = false;
        this.#onNews();
      }
    }
  }
}
