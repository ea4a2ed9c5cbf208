/* SPDX-License-Identifier: ISC */
/*
 * What the page of findings says where there are none, and of how many there are.
 * Pure.
 */

import { duration, isKnown, moment } from '../format.js';
import { isActive } from './words.js';

/* As many are kept by the daemon without a database, and told of one with it. */
export const KEPT = 1000;

export function countText(findings, zoneText) {
  const active = findings.filter(isActive).length;
  const past = findings.length - active;
  const many = findings.length >= KEPT ? ', the latest ' + KEPT + ' in all' : '';
  return active + ' active, ' + past + ' past' + many + '. Local time: ' + zoneText + '.';
}

export function filteredText(n) {
  return n === 1 ? 'The one finding there is does not match.'
    : 'None of ' + n + ' findings match.';
}

/* Since when there is none that stands: the last one's end, else the begin of what is
 * stored, else of the program. */
export function quietText(findings, isFiltering, store) {
  if (isFiltering && findings.some(isActive))
    return 'None of those that stand match.';
  const { nowMs, health } = store;
  const ends = findings.map((f) => f.cleared_ms).filter(isKnown);
  if (ends.length > 0) {
    const end = Math.max(...ends);
    return 'Nothing stands. Quiet for ' + duration(nowMs - end) + ', since '
      + moment(end, nowMs) + '.';
  }
  const stored = health?.store?.oldest_ms;
  if (isKnown(stored) && stored > 0)
    return 'No findings. Quiet since ' + moment(stored, nowMs) + ', when history begins.';
  if (isKnown(health?.uptime_s)) {
    return 'No findings. Quiet since ' + moment(nowMs - 1000 * health.uptime_s, nowMs)
      + ', when the daemon started.';
  }
  return 'No findings.';
}
