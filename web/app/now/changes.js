/* SPDX-License-Identifier: ISC */
/*
 * The settings that changed last: when, what in plain words, of what, from what
 * to what. The same change of many queues or cores at one moment is one line.
 */

import { changeLine, groupChanges } from '../changelist.js';
import { el, keyedRows, setAttribute, setHidden, setText } from '../dom.js';
import { moment } from '../format.js';

const SHOWN = 8;

function makeRow() {
  const when = el('time', { class: 'change-when muted' });
  const line = changeLine();
  const node = el('li', { class: 'change' }, when, ...line.nodes);
  const update = (group, nowMs) => {
    setText(when, moment(group.change.at_ms, nowMs));
    line.update(group);
  };
  return { node, update };
}

export function changesView(panel) {
  const list = el('ol', { class: 'changes' });
  const note = el('p', { class: 'muted' }, 'Waiting for the list.');
  const fold = el('button', { type: 'button', class: 'fold', hidden: true });
  const all = el('a', { href: '#changes', class: 'panel-more', hidden: true },
    'All, with before and after');
  panel.append(el('div', { class: 'panel-head' },
    el('h2', { id: 'changes-title' }, 'Settings that changed'), all), list, note, fold);
  const rows = keyedRows(list, ({ change }) => change.id, makeRow);
  let isOpen = false;
  let last = null;

  const render = (store) => {
    last = store;
    const groups = groupChanges(store.changes ?? []);
    rows(isOpen ? groups : groups.slice(0, SHOWN), store.nowMs);
    setHidden(all, groups.length === 0);
    setHidden(note, groups.length > 0);
    setText(note, noteText(store));
    setHidden(fold, groups.length <= SHOWN);
    setText(fold, isOpen ? 'Show the latest' : 'Show ' + (groups.length - SHOWN) + ' more');
    setAttribute(fold, 'aria-expanded', String(isOpen));
  };
  fold.addEventListener('click', () => {
    isOpen = !isOpen;
    render(last);
  });
  return render;
}

function noteText({ changes, changesProblem }) {
  if (changes !== null)
    return 'None seen: affinity, steering, rings, channels, clocks and links are as they were.';
  return changesProblem === null ? 'Waiting for the list.'
    : 'Not available: ' + changesProblem + '.';
}
