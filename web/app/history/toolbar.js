/* SPDX-License-Identifier: ISC */
/*
 * The range of time: presets, steps to either side, wider and narrower, exact times,
 * and whether it moves with time.
 */

import { zoomed, panned } from '../chart/pointer.js';
import { el, setAttribute, setHidden, setText } from '../dom.js';
import { instant, zone } from '../format.js';
import { DEFAULT_LAST_S, PRESETS } from './address.js';

const STEP = 0.5;

/* A local time as a field of the kind datetime-local has it. */
function fieldText(ms) {
  const at = new Date(ms);
  const two = (n) => String(n).padStart(2, '0');
  return at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate()) + 'T'
    + two(at.getHours()) + ':' + two(at.getMinutes()) + ':' + two(at.getSeconds());
}

/* on: { last(seconds), range(from, to), exact(from, to) -> why not, undefined } */
export function toolbar(on) {
  let span = [0, 0];
  let last = null;
  const button = (text, label, click) =>
    el('button', { type: 'button', 'aria-label': label, click }, text);
  const presets = PRESETS.map(([seconds, text]) => ({ seconds,
    node: button(text, 'The last ' + text, () => on.last(seconds)) }));
  const follow = el('button', { type: 'button', class: 'history-follow', click: () => {
    if (last !== null)
      on.range(...span);
    else
      on.last(presetNear(span) ?? DEFAULT_LAST_S);
  } }, 'Follow now');
  const text = el('p', { class: 'history-range' });
  const fields = ['From', 'To'].map((word) => ({ word,
    node: el('input', { type: 'datetime-local', step: '1', 'aria-label': word }) }));
  const refusal = el('p', { class: 'note history-refusal', role: 'alert', hidden: true });
  const exact = el('details', { class: 'history-exact' }, el('summary', {}, 'Exact times'),
    el('form', { submit: (event) => {
      event.preventDefault();
      const [from, to] = fields.map((f) => new Date(f.node.value).getTime());
      setText(refusal, on.exact(from, to) ?? '');
      setHidden(refusal, refusal.textContent === '');
    } }, ...fields.map((f) => el('label', {}, f.word + ' ', f.node)),
    el('button', { type: 'submit' }, 'Show'), refusal));
  const node = el('div', { class: 'history-bar' },
    el('div', { class: 'history-group', role: 'group', 'aria-label': 'Range' },
      ...presets.map((p) => p.node)),
    el('div', { class: 'history-group', role: 'group', 'aria-label': 'Move' },
      button('\u25c0', 'Earlier', () => on.range(...panned(span, -STEP))),
      button('\u25b6', 'Later', () => on.range(...panned(span, STEP))),
      button('+', 'Zoom in', () => on.range(...zoomed(span, 0.5))),
      button('\u2212', 'Zoom out', () => on.range(...zoomed(span, 2)))),
    follow, text, exact);

  let shownRange = null;
  const update = (range, shown, nowMs) => {
    span = shown;
    /* Another one was chosen: what was refused is no longer asked. */
    if (range !== shownRange)
      setHidden(refusal, true);
    shownRange = range;
    last = range.last ?? null;
    for (const p of presets)
      setAttribute(p.node, 'aria-pressed', String(p.seconds === last));
    setAttribute(follow, 'aria-pressed', String(last !== null));
    const step = span[1] - span[0] < 600000 ? 1000 : 60000;
    setText(text, instant(span[0], step, nowMs) + ' to ' + instant(span[1], step, nowMs)
      + ' (' + zone(span[1]) + ')');
    const isTyped = exact.open && (exact.contains(document.activeElement) || !refusal.hidden);
    for (const [i, f] of fields.entries()) {
      if (!isTyped)
        f.node.value = fieldText(span[i]);
    }
  };
  return { node, update };
}

/* The preset that is as long as the range, in seconds. */
function presetNear([from, to]) {
  const s = (to - from) / 1000;
  return PRESETS.map(([seconds]) => seconds).findLast((seconds) => seconds <= s * 1.01)
    ?? PRESETS[0][0];
}
