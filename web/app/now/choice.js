/* SPDX-License-Identifier: ISC */
/*
 * One of a few, in one line: radio buttons that look like one control, so that the
 * arrow keys and a screen reader know what it is.
 */

import { el } from '../dom.js';

/* options: [[value, text]]; onChoose(value) is called when the reader chooses. */
export function choice(name, title, options, onChoose) {
  const inputs = new Map(options.map(([value, text]) => {
    const input = el('input', { type: 'radio', class: 'unseen', name, value,
      change: () => onChoose(value) });
    return [value, { input, node: el('label', {}, input, el('span', {}, text)) }];
  }));
  const node = el('fieldset', { class: 'choice' }, el('legend', { class: 'unseen' }, title),
    ...[...inputs.values()].map((one) => one.node));
  return { node, set: (value) => { inputs.get(value).input.checked = true; } };
}
