/* SPDX-License-Identifier: ISC */
/*
 * What the heatmap shows of what the page knows: which cores, up to when, which
 * findings, and the words around it. Pure.
 */

import { duration, isKnown, percent } from '../format.js';

const SPAN_WORDS = { 300: 'five minutes', 900: 'fifteen minutes', 3600: 'hour' };

/* Those of the last tick; before it, those the history names. */
export function coreNumbers(store) {
  if (store.cores.length > 0)
    return store.cores.map((c) => c.core);
  return [...(store.load.points.at(-1)?.values.keys() ?? [])].sort((a, b) => a - b);
}

/* The last sample; when none comes, a hole grows behind it. */
export function endOf(store) {
  const newest = store.load.newest ?? store.nowMs;
  return store.isStale && store.sampledMs !== null ? Math.max(newest, store.nowMs) : newest;
}

/* The most severe last: it is painted over the others. */
export function marks(store, span) {
  return [...store.cleared, ...store.active.reverse()]
    .map((f) => ({ from: f.raised_ms, to: f.cleared_ms || span.to, severity: f.severity }))
    .filter((mark) => mark.to > span.from);
}

export function hintText(columnMs, { intervalMs, loadProblem }) {
  const merged = columnMs > 1.5 * intervalMs
    ? ' Each column is the highest of ' + duration(columnMs) + '.' : '';
  return 'Point at a cell to read it.' + merged + (loadProblem === null ? ''
    : ' What is stored is not available: ' + loadProblem + '.');
}

export function description({ summary, cores }, spanMs) {
  const hottest = summary !== null && isKnown(summary.hottest_core)
    ? ' Hottest now: core ' + summary.hottest_core + ' at ' + percent(summary.hottest_core_load)
      + '.' : '';
  const n = cores.length === 1 ? 'one core' : cores.length + ' cores';
  return 'Heatmap of the packet load of ' + n + ' over the last '
    + SPAN_WORDS[spanMs / 1000] + '.' + hottest + ' Arrow keys read single cells.';
}
