/* SPDX-License-Identifier: ISC */
/*
 * Which time before a moment is compared with which time after it. Both stay away
 * from the moment: a change is seen some seconds after it was made, and traffic
 * takes some to settle. Pure.
 */

const SECONDS_MS = 60000;
const SETTLE_MS = 5000;
/* With steps of up to this a minute has enough of them. */
const FINE_STEP_MS = 6000;
/* Coarser than this tells nothing of one change. */
const COARSEST_MS = 60000;
/* Five whole minutes fit in, wherever they begin. */
const COARSE_LENGTH_MS = 6 * COARSEST_MS;

/* stepMs: how far values are apart. null: too far. */
export function windowsOf({ fromMs, toMs }, stepMs) {
  if (!(stepMs <= COARSEST_MS))
    return null;
  const settle = Math.max(SETTLE_MS, stepMs <= FINE_STEP_MS ? stepMs : 0);
  const length = stepMs <= FINE_STEP_MS ? SECONDS_MS : COARSE_LENGTH_MS;
  const before = { fromMs: fromMs - settle - length, toMs: fromMs - settle };
  const after = { fromMs: toMs + settle, toMs: toMs + settle + length };
  return { before, after, lengthMs: length, stepMs };
}

export function spanOf({ before, after }) {
  return { fromMs: before.fromMs, toMs: after.toMs };
}

/* When the last sample of the time after is there: those of the newest seconds
 * are still on their way. */
export function dueMs({ after }, intervalMs) {
  return after.toMs + 2 * intervalMs;
}

/* Which of the times lie in a window as a whole: a value at t covers the step that
 * ends at t. */
export function indexesIn(timeMs, stepMs, { fromMs, toMs }) {
  const found = [];
  for (const [i, t] of timeMs.entries()) {
    if (t - stepMs >= fromMs && t <= toMs)
      found.push(i);
  }
  return found;
}
