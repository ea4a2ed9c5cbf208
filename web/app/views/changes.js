/* SPDX-License-Identifier: ISC */
/*
 * Settings that changed: when, what in plain words, of what, from what to what.
 * The same change of many queues or cores at one moment is one line.
 */

import { el, keyedRows, setAttribute, setHidden, setText } from '../dom.js';
import { moment, ranges } from '../format.js';
import { changedValues, settingWords } from '../settings.js';

const SHOWN = 8;

const isTold = (v) => v !== null && v !== undefined && v !== '' && v !== -1;

/* Whether b says the same as a of another queue, core or interrupt. */
function isSame(a, b) {
  return a.at_ms === b.at_ms && a.kind === b.kind && a.old === b.old && a.new === b.new
    && a.subject?.device === b.subject?.device && a.subject?.direction === b.subject?.direction
    && isTold(a.subject?.queue) === isTold(b.subject?.queue);
}

/* [{ change, subjects }] of changes, in their order. */
export function groupChanges(changes) {
  const groups = [];
  for (const change of changes) {
    const last = groups.findLast((g) => isSame(g.change, change));
    if (last === undefined)
      groups.push({ change, subjects: [change.subject ?? {}] });
    else
      last.subjects.push(change.subject ?? {});
  }
  return groups;
}

/* "eth0 rx 0 to 3", "core 2", "interrupt 41", '' for the host */
export function subjectsText(subjects) {
  const [first] = subjects;
  const plural = (word, values) => word + (values.length > 1 ? 's ' : ' ') + ranges(values);
  const parts = [];
  if (isTold(first.device))
    parts.push(first.device);
  if (isTold(first.queue)) {
    parts.push((isTold(first.direction) ? first.direction : 'queue') + ' '
      + ranges(subjects.map((s) => s.queue)));
  }
  if (isTold(first.core))
    parts.push(plural('core', subjects.map((s) => s.core)));
  if (isTold(first.irq))
    parts.push(plural('interrupt', subjects.map((s) => s.irq)));
  return parts.join(' ');
}

function makeRow() {
  const when = el('time', { class: 'change-when muted' });
  const subject = el('b', { class: 'change-subject' });
  const kind = el('span', { class: 'change-kind' });
  const [old, now] = [el('span', { class: 'change-old' }), el('span', { class: 'change-new' })];
  const node = el('li', { class: 'change' }, when,
    el('p', {}, subject, kind),
    el('p', { class: 'change-values' }, old, el('span', { 'aria-hidden': 'true' }, ' \u2192 '),
      el('span', { class: 'unseen' }, ' became '), now));
  const update = ({ change, subjects }, nowMs) => {
    setText(when, moment(change.at_ms, nowMs));
    const of = subjectsText(subjects);
    setText(subject, of === '' ? '' : of + ': ');
    setText(kind, settingWords(change.kind));
    const [before, after] = changedValues(change.kind, change.old, change.new);
    setText(old, before);
    setText(now, after);
  };
  return { node, update };
}

export function changesView(panel) {
  const list = el('ol', { class: 'changes' });
  const note = el('p', { class: 'muted' }, 'Waiting for the list.');
  const fold = el('button', { type: 'button', class: 'fold', hidden: true });
  panel.append(el('div', { class: 'panel-head' },
    el('h2', { id: 'changes-title' }, 'Settings that changed')), list, note, fold);
  const rows = keyedRows(list, ({ change }) => change.id, makeRow);
  let isOpen = false;
  let last = null;

  const render = (store) => {
    last = store;
    const groups = groupChanges(store.changes ?? []);
    rows(isOpen ? groups : groups.slice(0, SHOWN), store.nowMs);
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
