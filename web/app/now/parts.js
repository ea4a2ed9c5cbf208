/* SPDX-License-Identifier: ISC */
/*
 * What a core's time goes into, in the order of drawing: packet work (interrupts)
 * first in warm colours, so that it is compared across cores from one line; then
 * processes in cool ones. Pure.
 */

import { isKnown } from '../format.js';

/* [class name, words, the fields that are summed] */
export const PARTS = [
  ['irq', 'hard interrupts', ['irq']],
  ['softirq', 'soft interrupts', ['softirq']],
  ['system', 'system', ['system']],
  ['user', 'user', ['user']],
  ['nice', 'nice', ['nice']],
  ['steal', 'stolen by the host', ['steal']],
];

/* Of most machines there is none of these: not worth a word then. */
export const RARE = ['nice', 'steal'];
/* Less than can be seen. */
export const NOTHING = 0.005;

/* The sum of the known fields; null: none is. */
export function shareOf(core, fields) {
  const known = fields.map((f) => core[f]).filter(isKnown);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}
