/* SPDX-License-Identifier: ISC */
/*
 * What is written beside the bar of a core: its clock, who feeds it, and which
 * threads work there. Pure.
 */

import { decimal, isKnown, percent, ranges } from '../format.js';

/* Threads below this are not worth a word. */
const QUIET_RATIO = 0.05;

export function noteText(core) {
  if (core.online === false)
    return 'offline';
  if (core.eligible === false)
    return 'not counted';
  return '';
}

/* "igb0 q 0 to 3" where both directions of a queue arrive here, "igb0 rx 0" where
 * one does. */
export function feedTexts(feeds) {
  const byQueue = new Map();
  for (const { device, queue, direction } of feeds) {
    const key = JSON.stringify([device, queue]);
    const known = byQueue.get(key);
    if (known)
      known.direction = 'q';
    else
      byQueue.set(key, { device, queue, direction: direction ?? 'q' });
  }
  const byDevice = new Map();
  for (const { device, queue, direction } of byQueue.values()) {
    const key = (device ?? '?') + (isKnown(queue) ? ' ' + direction : '');
    byDevice.set(key, [...byDevice.get(key) ?? [], queue]);
  }
  return [...byDevice].map(([name, queues]) =>
    name + (queues.every(isKnown) ? ' ' + ranges(queues) : ''));
}

/* "0.60 of 1.40 GHz" */
export function clockText({ freq_hz: now, freq_max_hz: most }) {
  if (!isKnown(now))
    return null;
  const of = isKnown(most) ? ' of ' + decimal(most / 1e9, 2) : '';
  return decimal(now / 1e9, 2) + of + '\u00a0GHz';
}

/* Threads that work on packets, and busy processes, as the map knows them: seconds
 * old. ksoftirqd's time is in the bar as soft interrupts. */
export function threadTexts(map, core) {
  const own = (map?.threads ?? []).filter((t) => t.core === core && t.load >= QUIET_RATIO)
    .sort((a, b) => b.load - a.load);
  const text = (list) => list.slice(0, 3).map((t) => t.name + ' ' + percent(t.load)).join(', ')
    + (list.length > 3 ? ' and ' + (list.length - 3) + ' more' : '');
  const packet = own.filter((t) => t.class !== 'user' && t.class !== 'ksoftirqd');
  const softirq = own.filter((t) => t.class === 'ksoftirqd');
  const user = own.filter((t) => t.class === 'user');
  return [packet.length > 0 ? 'packet threads ' + text(packet) : '',
    softirq.length > 0 ? 'soft interrupts in ' + text(softirq) : '',
    user.length > 0 ? 'processes ' + text(user) : ''].filter((t) => t !== '').join('; ');
}
