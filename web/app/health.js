/* SPDX-License-Identifier: ISC */
/*
 * /api/v1/health in words, for the foot of the first page and the page about the
 * instrument. Pure.
 */

import { moment } from './format.js';

const STATES = {
  ok: 'read', missing: 'not on this system', forbidden: 'not permitted', failing: 'cannot be read',
};

/* 'missing' is how a machine is; the others are worth a look. */
export function sourceState({ state }) {
  return Object.hasOwn(STATES, state) ? STATES[state] : String(state);
}

export function sourceName({ path, id }) {
  return path ? '/' + path.replace(/^\//, '') : id;
}

export function unreadSources(health) {
  return (health.sources ?? []).filter((s) => s.state !== 'ok');
}

export function storeText(store) {
  if (!store)
    return '';
  if (store.state === 'memory')
    return 'History is kept in memory only.';
  return 'Store: ' + store.state + (store.reason ? ', ' + store.reason : '')
    + (store.oldest_ms ? ', history since ' + moment(store.oldest_ms, Date.now()) : '') + '.';
}
