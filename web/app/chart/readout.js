/* SPDX-License-Identifier: ISC */
/*
 * The legend of a chart and its reading in one: each series has its place, so
 * that nothing moves while the crosshair does.
 */

import { el, setAttribute, setFigure, setHidden, setStyle, setText } from '../dom.js';
import { instant, isKnown, quantity } from '../format.js';

function makeEntry(series, unit, single) {
  const line = el('span', { class: 'chart-line', 'aria-hidden': 'true' });
  setStyle(line, '--color', 'var(' + series.color + ')');
  setAttribute(line, 'data-dash', series.dash ? '' : null);
  const [value, band] = [el('span', { class: 'chart-value' }), el('span', { class: 'chart-band' })];
  const node = el('li', { class: 'chart-key', pointerenter: () => single(true),
    pointerleave: () => single(false) }, line,
  el('span', { class: 'chart-label' }, series.label), value, band);
  const update = ([mean, least, most]) => {
    setFigure(value, quantity(mean, unit));
    setText(band, isKnown(least) && isKnown(most)
      ? quantity(least, unit) + ' to ' + quantity(most, unit) : '');
  };
  const text = () => series.label + ' ' + value.textContent
    + (band.textContent === '' ? '' : ', ' + band.textContent);
  return { node, update, text };
}

/* single(i | null): one series stands out. */
export function makeReadout({ series, unit, band, marks: hasMarks }, single) {
  const time = el('p', { class: 'chart-time' });
  const beside = el('p', { class: 'chart-marks muted', hidden: !hasMarks });
  const spoken = el('output', { class: 'unseen' });
  const entries = series.map((s, i) => makeEntry(s, unit, (isOn) => single(isOn ? i : null)));
  const list = el('ul', { class: 'chart-keys', 'data-band': band ? '' : null },
    ...entries.map((e) => e.node));
  const node = el('div', { class: 'chart-readout' },
    el('div', { class: 'chart-when' }, time, beside), list, spoken);

  /* values: [mean] or [mean, least, most] of each series. */
  const update = ({ time: t, values, isPointed, step, marks }) => {
    setText(time, t === null ? '\u00a0' : (isPointed ? '' : 'latest, ')
      + instant(t, step, Date.now()));
    for (const [i, entry] of entries.entries())
      entry.update(values[i]);
    const told = marks.slice(0, 2).map((m) => m.label)
      .concat(marks.length > 2 ? (marks.length - 2) + ' more' : []);
    setText(beside, told.length > 0 ? told.join('; ') : '\u00a0');
    setHidden(beside, !hasMarks);
  };
  const speak = () => setText(spoken, [time.textContent, beside.textContent.trim(),
    ...entries.map((e) => e.text())].filter((part) => part !== '').join('. '));
  return { node, update, speak };
}
