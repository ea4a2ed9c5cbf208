/* SPDX-License-Identifier: ISC */
/*
 * One finding in the list: a line that opens, and behind it what it says, its
 * evidence over time, its causes and what to try. What is behind is made when it is
 * first opened.
 */

import { el, setAttribute, setHidden, setText } from '../dom.js';
import { addressOf } from '../router.js';
import { Drawing } from './drawing.js';
import { historyParameters } from './link.js';
import { badge, findingParts } from './parts.js';
import { durationText, isActive, joined, oddText, subjectText, whenText } from './words.js';

/* Headings: the page, its sections, a finding, its parts. */
const TITLE_LEVEL = 4;

export class Card {
  node;
  #toggle;
  #badge = badge();
  #title = el('b', { class: 'card-title' });
  #subject = el('span', { class: 'card-subject' });
  #when = el('span', { class: 'card-when' });
  #long = el('span', { class: 'card-long' });
  #body = el('div', { class: 'card-body', hidden: true });
  #inside = null;

  /* onToggle(id): it was asked to open or to close. */
  constructor(id, onToggle) {
    this.#body.id = 'finding-' + id;
    this.#toggle = el('button', { type: 'button', class: 'card-toggle', 'aria-expanded': 'false',
      'aria-controls': this.#body.id, click: () => onToggle(id) },
    this.#badge.node, ' ', el('span', { class: 'card-what' }, this.#title, ' ', this.#subject), ' ',
    this.#when, ' ', this.#long);
    this.node = el('li', { class: 'card', 'data-id': String(id) },
      el('h' + TITLE_LEVEL, { class: 'card-head' }, this.#toggle), this.#body);
  }

  focus() {
    this.node.scrollIntoView({ block: 'start' });
    this.#toggle.focus({ preventScroll: true });
  }

  /* dayMs: the day that its list is of; times of that day need no date. */
  update(f, isOpen, store, dayMs) {
    const { nowMs } = store;
    this.#badge.update(f.severity);
    setText(this.#title, f.title);
    setText(this.#subject, subjectText(f.subject));
    setText(this.#when, whenText(f, dayMs ?? nowMs));
    setText(this.#long, durationText(f, nowMs));
    setAttribute(this.node, 'data-active', isActive(f) ? '' : null);
    setAttribute(this.#toggle, 'aria-expanded', String(isOpen));
    setHidden(this.#body, !isOpen);
    if (isOpen)
      this.#fill(f, store);
    else
      this.#empty();
  }

  destroy() {
    this.#empty();
  }

  #fill(f, store) {
    if (this.#inside === null) {
      const [about, message] = [el('p', { class: 'muted' }), el('p', { class: 'finding-message' })];
      const history = el('a', { class: 'card-history' }, 'Look closer in History');
      const drawing = new Drawing(TITLE_LEVEL + 1);
      const parts = findingParts(TITLE_LEVEL + 1);
      this.#body.replaceChildren(message, about, drawing.node,
        el('p', { class: 'card-links' }, history), parts.node);
      this.#inside = { about, message, history, drawing, parts };
    }
    const { about, message, history, drawing, parts } = this.#inside;
    setText(message, f.message);
    setText(about, joined(f.code, oddText(f)));
    setAttribute(history, 'href', addressOf('history', historyParameters(f, store.nowMs)));
    drawing.update(f, store);
    parts.update(f);
  }

  #empty() {
    this.#inside?.drawing.destroy();
    this.#inside = null;
    this.#body.replaceChildren();
  }
}
