/* SPDX-License-Identifier: ISC */
/*
 * The building blocks of the page about the instrument: a list of named figures,
 * and a table. Rows stay what they are while their texts change.
 */

import { el, keyedRows, setAttribute, setFigure, setHidden, setText } from '../dom.js';

let nPanels = 0;

/* A titled part of the page. */
export function panel(title, ...children) {
  const id = 'about-title-' + nPanels++;
  return el('section', { class: 'panel', 'aria-labelledby': id },
    el('div', { class: 'panel-head' }, el('h3', { id }, title)), ...children);
}

/* lines: [[name, read(data), words]]; a figure that is null leaves its line out. */
export function figureList(lines) {
  const rows = lines.map(([name, read, words]) => {
    const value = el('dd', { class: 'fact-value' });
    const node = el('div', { class: 'fact' }, el('dt', {}, name), value,
      words === '' ? '' : el('dd', { class: 'fact-words muted' }, words));
    return { node, value, read };
  });
  const update = (data) => {
    for (const { node, value, read } of rows) {
      const text = read(data);
      setHidden(node, text === null);
      setFigure(value, text);
    }
  };
  return { node: el('dl', { class: 'facts' }, ...rows.map((r) => r.node)), update };
}

/* columns: [[name, key, class]]; items have a text for each key. The first column
 * is the head of its row; keyOf tells rows apart, markOf sets data-kind. */
export function table(label, columns, keyOf, markOf = () => null) {
  const body = el('tbody', {});
  const rows = keyedRows(body, keyOf, () => {
    const cells = columns.map(([name, , style], i) => i === 0
      ? el('th', { scope: 'row', class: style }) : el('td', { class: style, 'data-name': name }));
    const node = el('tr', {}, ...cells);
    const update = (item) => {
      setAttribute(node, 'data-kind', markOf(item));
      for (const [i, [, key]] of columns.entries())
        setText(cells[i], item[key] ?? '');
    };
    return { node, update };
  });
  const node = el('table', { class: 'about-table' }, el('caption', { class: 'unseen' }, label),
    el('thead', {}, el('tr', {}, ...columns.map(([name, , style]) =>
      el('th', { scope: 'col', class: style }, name)))), body);
  return { node, update: rows };
}
