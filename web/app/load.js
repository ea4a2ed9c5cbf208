/* SPDX-License-Identifier: ISC */
/*
 * Stored packet load, from which the heatmap is painted. The first question is on
 * its way as soon as this module is there, before those of the views are: the page
 * has nothing to show as long as it waits for it.
 */

import { get } from './api.js';
import { parseAddress } from './router.js';

/* Seconds the heatmap can show. */
export const SPANS = [300, 900, 3600];
/* An hour of a second each is more than most screens have pixels, and of many
 * cores some megabytes. A peak of a second stays: it is the highest that is asked. */
const POINTS = 1800;

/* What the address asks for; null: nothing that there is. */
export function spanOf(parameters) {
  const s = Number(parameters.get('span'));
  return SPANS.includes(s) ? s : null;
}

function fetchLoad(spanMs) {
  const s = spanMs / 1000;
  const query = { metric: 'core_packet_load_ratio', aggregate: 'max', after: String(-s) };
  return get('series', s > POINTS ? { ...query, points: String(POINTS) } : query);
}

export const FIRST_SPAN_MS = 1000 * (spanOf(parseAddress(location.hash).parameters) ?? SPANS[0]);
let first = fetchLoad(FIRST_SPAN_MS);
/* Whoever takes it hears of it. */
first.catch(() => {});

export function askLoad(spanMs) {
  const taken = spanMs === FIRST_SPAN_MS ? first : null;
  first = null;
  return taken ?? fetchLoad(spanMs);
}
