/* SPDX-License-Identifier: ISC */
/*
 * Which version answers, and the addresses programs can ask.
 */

import { address } from '../api.js';

/* [address relative to the page, what it has] */
export const LINKS = [
  ['api/v1/summary', 'state, verdict and totals'],
  ['api/v1/cores', 'every core'],
  ['api/v1/interfaces', 'every interface'],
  ['api/v1/interrupts', 'every interrupt and where it fires'],
  ['api/v1/queues', 'every queue'],
  ['api/v1/map', 'devices, queues, interrupts, cores and the settings that join them'],
  ['api/v1/findings?state=all', 'findings with evidence and advice'],
  ['api/v1/changes', 'settings that changed'],
  ['api/v1/catalog', 'every series there is'],
  ['api/v1/series?metric=core_packet_load_ratio', 'history of one metric, as JSON or CSV'],
  ['api/v1/health', 'what this page tells'],
  ['metrics', 'for Prometheus'],
];

/* 'ringside_build_info{version="1.2.3"}' -> '1.2.3'; null: it does not tell. Pure. */
export function versionIn(text) {
  return /^ringside_build_info\{[^}]*version="([^"]*)"/m.exec(text)?.[1] ?? null;
}

export async function askVersion() {
  const answer = await fetch(new URL('../../metrics', address('')), { cache: 'no-store' });
  return answer.ok ? versionIn(await answer.text()) : null;
}
