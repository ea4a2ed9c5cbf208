/* SPDX-License-Identifier: ISC */
/*
 * A labelled choice from a list that may change while the page is open.
 */

import { el, rebuilder } from './dom.js';

/* onChange(value): the reader chose. update(options, value): options are
 * [[value, text]]. */
export function selectBox(label, style, onChange) {
  const select = el('select', { change: () => onChange(select.value) });
  const node = el('label', { class: style }, el('span', {}, label), select);
  const list = rebuilder(select, (options) =>
    options.map(([value, text]) => el('option', { value }, text)));
  const update = (options, value) => {
    list(options);
    if (select.value !== value)
      select.value = value;
  };
  return { node, update };
}
