/* SPDX-License-Identifier: ISC */
/*
 * The addresses programs can ask.
 */

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
