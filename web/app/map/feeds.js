/* SPDX-License-Identifier: ISC */
/*
 * Who feeds a core: queues whose interrupts or threads arrive there, and those
 * that are handed on to it. Pure.
 */

import { isKnown } from '../format.js';
import { isQuiet } from './graph.js';

/* [{ row, direction, pps, ps, isSteered }], the most first. ps:
 * interrupts per second of the line there, where packets are not counted. */
export function feedsOf(graph, core) {
  const feeds = [];
  for (const device of graph.devices) {
    for (const row of device.rows) {
      const share = shareOn(graph, row, core);
      if (share > 0)
        feeds.push(...feedsOfRow(graph, row, core, share));
      if (row.rps.includes(core) && !isQuiet(row.rx.pps))
        feeds.push({ row, direction: 'rx', pps: row.rx.pps, ps: null, isSteered: true });
    }
  }
  return feeds.sort(byWeight);
}

/* Coarsely, so that two of a size do not change places each second. */
export function byWeight(a, b) {
  const size = ({ pps, ps }) => Math.round(Math.log2(1 + (pps ?? ps ?? 0)) / 2);
  return a.isSteered - b.isSteered || size(b) - size(a)
    || a.row.device.ifindex - b.row.device.ifindex;
}

function shareOn(graph, row, core) {
  if (row.polledOn.length > 0)
    return row.polledOn.includes(core) ? 1 : 0;
  const irq = graph.irqs.get(row.irq);
  return irq === undefined || row.state === 'idle' ? 0 : irq.shares.get(core) ?? 0;
}

function feedsOfRow(graph, row, core, share) {
  const feeds = [];
  const direction = row.rx && row.tx ? null : row.rx ? 'rx' : 'tx';
  if (row.polledOn.length > 1)
    return [{ row, direction, pps: null, ps: null, isSteered: false }];
  for (const way of ['rx', 'tx']) {
    const q = row[way];
    if (q && isKnown(q.pps) && !isQuiet(q.pps))
      feeds.push({ row, direction: way, pps: q.pps * share, ps: null, isSteered: false });
  }
  if (feeds.length === 0 && !isKnown(row.pps)) {
    const ps = graph.irqs.get(row.irq)?.cells.get(core) ?? null;
    feeds.push({ row, direction, pps: null, ps, isSteered: false });
  }
  return feeds;
}
