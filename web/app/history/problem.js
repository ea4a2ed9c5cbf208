/* SPDX-License-Identifier: ISC */
/*
 * What failed, in words, and whether it may go well later.
 */

import { NoCharts } from '../chart.js';

/* There was no answer. */
export function isLost(error) {
  return error instanceof TypeError || error.name === 'AbortError';
}

/* As a sentence goes on after a colon. */
export function reasonOf(error) {
  return isLost(error) ? 'the daemon does not answer' : error.message;
}

/* Whether the same question may be answered another time. */
export function canHeal(error) {
  return error instanceof NoCharts ? !error.isMissing : isLost(error) || error.status >= 500;
}
