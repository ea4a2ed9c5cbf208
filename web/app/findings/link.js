/* SPDX-License-Identifier: ISC */
/*
 * The evidence of a finding as the page of history shows it: the same metrics and
 * the same time. Pure.
 */

import { stateParameters } from '../history/address.js';
import { chartsOf, windowOf } from './evidence.js';

const lineOf = ({ metric, labels }) => ({ metric,
  labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]])) });

/* For addressOf('history', ...). */
export function historyParameters(f, nowMs) {
  const { fromMs, toMs } = windowOf(f, nowMs);
  return stateParameters({ range: { from: fromMs, to: toMs },
    charts: chartsOf(f).map((chart) => ({ lines: chart.asks.map(lineOf), isFolded: false })) });
}
