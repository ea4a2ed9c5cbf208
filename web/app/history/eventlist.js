/* SPDX-License-Identifier: ISC */
/*
 * The marks of the shown range as a list, for those who read and for the keyboard: each
 * leads to its time.
 */

import { el, keyedRows, setHidden, setText, stateIcon } from '../dom.js';
import { KEPT } from '../findings/say.js';
import { instant } from '../format.js';
import { CHANGES_MAX } from './events.js';

const SHOWN_MAX = 100;

/* onShow(mark): its time is to be looked at. */
export function eventList(onShow) {
  const summary = el('summary', {});
  const list = el('ol', { class: 'history-events' });
  const more = el('p', { class: 'muted', hidden: true });
  const cutNote = el('p', { class: 'note history-cut', role: 'status', hidden: true });
  const node = el('div', { class: 'history-marks' }, cutNote,
    el('details', {}, summary, list, more));
  const rows = keyedRows(list, (mark) => mark.key, () => {
    const time = el('time', { class: 'muted' });
    const kind = el('span', {});
    const label = el('span', { class: 'history-event-label' });
    let current = null;
    let shownKind = '';
    const show = el('button', { type: 'button', click: () => onShow(current) }, 'Show');
    const update = (mark, nowMs) => {
      current = mark;
      setText(time, instant(mark.atMs, 1000, nowMs));
      setText(label, mark.label);
      if (mark.kind !== shownKind) {
        shownKind = mark.kind;
        kind.className = 'badge badge-' + mark.kind;
        kind.replaceChildren(mark.kind === 'change' ? el('span', { class: 'history-diamond',
          'aria-hidden': 'true' }) : stateIcon(mark.kind), mark.words);
      }
      show.setAttribute('aria-label', 'Show the time of ' + mark.label);
    };
    return { node: el('li', {}, time, kind, label, show), update };
  });

  /* cut: { finding, change }: the time before which there are more, or null. */
  const update = (marks, { problem, cut }, [from], nowMs) => {
    const isCut = (what) => (cut[what] ?? 0) > from;
    const n = (what, one, many) => {
      const count = marks.filter((m) => (m.kind === 'change') === (what === 'change')).length;
      return (isCut(what) ? 'at least ' : '') + count + ' ' + (count === 1 ? one : many);
    };
    setText(summary, problem !== null ? 'Findings and settings are not available: ' + problem
      : 'In this range: ' + n('finding', 'finding', 'findings') + ', '
        + n('change', 'setting changed', 'settings changed'));
    const notes = [['finding', 'Findings', KEPT], ['change', 'Settings', CHANGES_MAX]]
      .filter(([what]) => isCut(what)).map(([what, words, max]) => words + ' before '
        + instant(cut[what], 60000, nowMs) + ' are not marked: only the latest ' + max
        + ' can be asked for.');
    setText(cutNote, notes.join(' '));
    setHidden(cutNote, notes.length === 0);
    rows(marks.slice(-SHOWN_MAX), nowMs);
    setHidden(more, marks.length <= SHOWN_MAX);
    setText(more, 'The last ' + SHOWN_MAX + ' of ' + marks.length + '.');
  };
  return { node, update };
}
