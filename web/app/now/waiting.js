/* SPDX-License-Identifier: ISC */
/*
 * What stands in the place of a panel that has no sample yet: why not, as far as it
 * is known. Pure.
 */

export function waitingText({ connection, problem, summary }) {
  if (problem !== null || connection === 'refused')
    return 'The daemon does not show this page its samples.';
  if (connection === 'lost')
    return 'The daemon does not answer. The page keeps trying.';
  return summary === null ? 'Asking the daemon.'
    : 'Waiting for the first sample: the daemon has just started.';
}
