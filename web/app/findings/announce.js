/* SPDX-License-Identifier: ISC */
/*
 * Tells a screen reader of findings that are raised while the page is open, each
 * once; what stood before is read, not announced.
 */

import { setText } from '../dom.js';
import { SEVERITY_WORDS, nameText } from './words.js';

/* region: an element with role="status". */
export function announcer(region) {
  const told = new Set();
  let sinceMs = null;
  return (store) => {
    /* The clock is the daemon's. */
    sinceMs ??= store.sampledMs;
    if (sinceMs === null)
      return;
    const fresh = store.active.filter((f) => f.raised_ms > sinceMs && !told.has(f.id));
    if (fresh.length === 0)
      return;
    for (const f of fresh)
      told.add(f.id);
    setText(region, fresh.map((f) =>
      'New ' + (SEVERITY_WORDS[f.severity] ?? f.severity) + ': ' + nameText(f)).join('. '));
  };
}
