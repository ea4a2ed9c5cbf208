/* SPDX-License-Identifier: ISC */
/*
 * What the pages that list changed settings share: which changes are told
 * together, and the line that tells them: of what, which setting in plain words,
 * from what to what.
 */

import { el, setText } from './dom.js';
import { ranges } from './format.js';
import { changedValues, settingWords } from './settings.js';

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

/* nodes: what is shown; update(group) fills them. */
export function changeLine() {
  const subject = el('b', { class: 'change-subject' });
  const kind = el('span', { class: 'change-kind' });
  const [old, now] = [el('span', { class: 'change-old' }), el('span', { class: 'change-new' })];
  const nodes = [el('p', {}, subject, kind),
    el('p', { class: 'change-values' }, old, el('span', { 'aria-hidden': 'true' }, ' \u2192 '),
      el('span', { class: 'unseen' }, ' became '), now)];
  const update = ({ change, subjects }) => {
    const of = subjectsText(subjects);
    setText(subject, of === '' ? '' : of + ': ');
    setText(kind, settingWords(change.kind));
    const [before, after] = changedValues(change.kind, change.old, change.new);
    setText(old, before);
    setText(now, after);
  };
  return { nodes, update };
}
