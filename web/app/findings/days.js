/* SPDX-License-Identifier: ISC */
/*
 * Past findings by day, each day a fold: hundreds of them stay a short list. Lines
 * of a day are made when it is open.
 */

import { el, keyedRows, setChildren, setHidden, setText } from '../dom.js';
import { weekday } from '../format.js';
import { SEVERITIES, SEVERITY_WORDS } from './words.js';

/* Lines of one day before it says that there are more. */
const SHOWN = 50;

function countsText(findings) {
  const parts = SEVERITIES.map((s) => [s, findings.filter((f) => f.severity === s).length])
    .filter(([, n]) => n > 0)
    .map(([s, n]) => n + ' ' + SEVERITY_WORDS[s] + (n > 1 && s !== 'crit' ? 's' : ''));
  return parts.join(', ');
}

/* onChange(): another day is open, or more of one is wanted. */
export class Days {
  node = el('div', { class: 'days' });
  #opened = new Map();
  #isWhole = new Set();
  #rows;

  constructor(onChange) {
    this.#rows = keyedRows(this.node, (day) => day.key, (day) => this.#make(day, onChange));
  }

  /* days: daysOf(); wanted: id of a finding that must be seen, or null; nodeOf(f,
   * dayMs) -> its element. */
  update(days, wanted, nodeOf) {
    const wantedDay = days.find((day) => day.findings.some((f) => f.id === wanted));
    if (wantedDay !== undefined) {
      this.#opened.set(wantedDay.key, true);
      if (wantedDay.findings.findIndex((f) => f.id === wanted) >= SHOWN)
        this.#isWhole.add(wantedDay.key);
    }
    this.#rows(days, days[0]?.key, nodeOf);
  }

  #make({ key }, onChange) {
    const [name, counts] = [el('span', { class: 'day-name' }), el('span', { class: 'muted' })];
    const list = el('ul', { class: 'cards' });
    const more = el('button', { type: 'button', class: 'fold', click: () => {
      this.#isWhole.add(key);
      onChange();
    } });
    const node = el('details', { class: 'day', toggle: () => {
      if (this.#isOpen(key) === node.open)
        return;
      this.#opened.set(key, node.open);
      onChange();
    } }, el('summary', {}, name, ' ', counts), list, more);

    const update = (day, newest, nodeOf) => {
      this.#newest = newest;
      setText(name, weekday(day.atMs));
      setText(counts, countsText(day.findings));
      const isOpen = this.#isOpen(key);
      node.open = isOpen;
      const shown = !isOpen ? [] : this.#isWhole.has(key) ? day.findings
        : day.findings.slice(0, SHOWN);
      setChildren(list, shown.map((f) => nodeOf(f, day.atMs)));
      setHidden(more, !isOpen || shown.length === day.findings.length);
      setText(more, 'Show ' + (day.findings.length - shown.length) + ' more of this day');
    };
    return { node, update };
  }

  #newest = null;

  /* The newest day is open unless it was closed. */
  #isOpen(key) {
    return this.#opened.get(key) ?? key === this.#newest;
  }
}
