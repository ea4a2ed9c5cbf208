/* SPDX-License-Identifier: ISC */
/*
 * Changes that were seen together are one moment: whatever is measured before and
 * after is of all of them. Pure.
 */

import { groupChanges } from '../changelist.js';

/* The daemon looks at all settings within a round of four seconds, so what was set
 * at once may be seen so much apart. */
export const TOGETHER_MS = 5000;

/* Changes, newest first -> [{ key, ids, fromMs, toMs, groups }], newest first. */
export function momentsOf(changes) {
  const moments = [];
  for (const change of [...changes].reverse()) {
    const last = moments.at(-1);
    if (last !== undefined && change.at_ms - last.fromMs <= TOGETHER_MS
      && change.at_ms >= last.fromMs) {
      last.members.unshift(change);
      last.toMs = Math.max(last.toMs, change.at_ms);
    } else {
      moments.push({ key: String(change.id), fromMs: change.at_ms, toMs: change.at_ms,
        members: [change] });
    }
  }
  return moments.reverse().map(({ key, fromMs, toMs, members }) =>
    ({ key, fromMs, toMs, ids: new Set(members.map((c) => c.id)), groups: groupChanges(members) }));
}

/* How many of the changes lie in the range and are not of the moment. */
export function othersIn(changes, moment, { fromMs, toMs }) {
  const ids = new Set(changes.filter((c) => c.at_ms > fromMs && c.at_ms <= toMs
    && !moment.ids.has(c.id)).map((c) => c.id));
  return ids.size;
}
