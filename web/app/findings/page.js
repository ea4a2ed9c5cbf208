/* SPDX-License-Identifier: ISC */
/*
 * The page of findings: those that stand on top, then past ones by day. What is
 * shown and which one is open stand in the address.
 */

import { get } from '../api.js';
import { el, setChildren, setHidden, setText } from '../dom.js';
import { zone } from '../format.js';
import { tell } from '../router.js';
import { announcer } from './announce.js';
import { Card } from './card.js';
import { filterControls } from './controls.js';
import { Days } from './days.js';
import { daysOf, filterParameters, isFiltering, matches, parseFilter } from './filter.js';
import { Known } from './known.js';
import { countText, filteredText, quietText } from './say.js';
import { byUrgency, isActive } from './words.js';

/* As many that stand are open by themselves. */
const OPEN_MOST = 3;
/* The whole list is asked for again no sooner. */
const AGAIN_MS = 5000;

/* What is on the page besides the lists. */
function frame(root, controls, days, onAgain, onClear) {
  const count = el('p', { class: 'muted' });
  const announce = el('p', { class: 'unseen', role: 'status' });
  const missing = el('p', { class: 'note', role: 'status', hidden: true });
  const refusal = el('span', {});
  const refused = el('p', { class: 'note', role: 'alert', hidden: true }, refusal, ' ',
    el('button', { type: 'button', click: onAgain }, 'Try again'));
  const quiet = el('p', { class: 'quiet' });
  const noneText = el('span', {});
  const none = el('p', { class: 'note', role: 'status', hidden: true }, noneText, ' ',
    el('button', { type: 'button', click: onClear }, 'Show all'));
  const cards = el('ul', { class: 'cards' });
  const active = el('section', { 'aria-labelledby': 'findings-active' },
    el('h3', { class: 'section-title', id: 'findings-active' }, 'Active now'), quiet, cards);
  const past = el('section', { 'aria-labelledby': 'findings-past' },
    el('h3', { class: 'section-title', id: 'findings-past' }, 'Past'), days.node);
  root.append(el('div', { class: 'panel-head page-head' },
    el('h2', { class: 'page-title', tabindex: '-1' }, 'Findings'), count),
  announce, controls.node, missing, refused, none, active, past);
  return { count, announce, missing, refusal, refused, quiet, noneText, none, cards, active, past };
}

class FindingsPage {
  #context;
  #known = new Known();
  #filter = parseFilter(new URLSearchParams());
  #opened = new Set();
  /* Active ones that were opened by themselves or could have been. */
  #judged = new Set();
  #cards = new Map();
  /* To be scrolled to once it is there. */
  #wanted = null;
  #problem = null;
  #isAsking = false;
  #askedAt = -Infinity;
  #connection = '';
  #controls = filterControls((part) => this.#choose(part));
  #days = new Days(() => this.#render());
  #parts;
  #announce;

  constructor(root, context) {
    this.#context = context;
    this.#parts = frame(root, this.#controls, this.#days, () => this.#ask(),
      () => this.#choose(parseFilter(new URLSearchParams())));
    this.#announce = announcer(this.#parts.announce);
  }

  show(parameters) {
    this.#filter = parseFilter(parameters);
    const { id } = this.#filter;
    if (id !== null)
      this.#opened.add(id);
    this.#wanted = id;
    this.#ask();
  }

  update(changed) {
    const { store } = this.#context;
    if (changed.has('connection') && store.connection !== this.#connection) {
      const isHealed = store.connection === 'live' && this.#connection !== '';
      this.#connection = store.connection;
      if (isHealed)
        this.#ask();
    }
    if (changed.has('findings'))
      this.#follow();
    if (['findings', 'page', 'health'].some((name) => changed.has(name)))
      this.#render();
    else if (changed.has('tick'))
      this.#refresh();
    this.#announce(store);
  }

  #follow() {
    const { store } = this.#context;
    const isFit = this.#known.follow(store.findings.values());
    if (!isFit && performance.now() - this.#askedAt > AGAIN_MS)
      this.#ask();
  }

  async #ask() {
    if (this.#isAsking)
      return;
    this.#isAsking = true;
    this.#askedAt = performance.now();
    try {
      this.#known.replace(await get('findings', { state: 'all' }));
      this.#problem = null;
    } catch (error) {
      this.#problem = error.message;
    } finally {
      this.#isAsking = false;
    }
    /* What the stream told meanwhile is newer. */
    this.#known.follow(this.#context.store.findings.values());
    this.#render();
  }

  #choose(part) {
    this.#filter = { ...this.#filter, ...part };
    this.#tell();
    this.#render();
  }

  #toggle(id) {
    const isOpen = !this.#opened.delete(id);
    if (isOpen)
      this.#opened.add(id);
    if (isOpen || this.#filter.id === id)
      this.#filter.id = isOpen ? id : null;
    this.#tell();
    this.#render();
  }

  #tell() {
    tell('findings', filterParameters(this.#filter));
  }

  #render() {
    const { store } = this.#context;
    const { all } = this.#known;
    const filter = this.#filter;
    /* The one a link leads to is shown whatever the filter. */
    const shown = all.filter((f) => matches(f, filter) || f.id === filter.id);
    const active = shown.filter(isActive).sort(byUrgency);
    const past = shown.filter((f) => !isActive(f));
    this.#judge(all.filter(isActive));

    const used = new Set();
    const nodeOf = (f, dayMs) => {
      used.add(f.id);
      return this.#cardOf(f, dayMs).node;
    };
    setChildren(this.#parts.cards, active.map((f) => nodeOf(f)));
    this.#days.update(daysOf(past), this.#wanted, nodeOf);
    for (const [id, card] of this.#cards) {
      if (!used.has(id)) {
        card.destroy();
        this.#cards.delete(id);
      }
    }
    this.#controls.update(filter, all);
    this.#say(active, past, all, store);
    this.#reach();
  }

  #say(active, past, all, store) {
    const parts = this.#parts;
    const isAnswered = this.#known.isWhole || all.length > 0;
    const isNone = isFiltering(this.#filter) && active.length + past.length === 0
      && all.length > 0;
    setText(parts.count, countText(all, zone(store.nowMs)));
    setText(parts.refusal, this.#problem === null ? ''
      : (all.length > 0 ? 'Older ones' : 'Findings') + ' could not be fetched: '
        + this.#problem + '.');
    setHidden(parts.refused, this.#problem === null);
    setText(parts.noneText, filteredText(all.length));
    setHidden(parts.none, !isNone);
    setText(parts.quiet, !isAnswered ? 'Waiting for the findings.'
      : quietText(all, isFiltering(this.#filter), store));
    setHidden(parts.quiet, active.length > 0 || (!isAnswered && this.#problem !== null));
    setHidden(parts.active, isNone || this.#filter.state === 'past');
    setHidden(parts.past, past.length === 0);
    const { id } = this.#filter;
    const isMissing = id !== null && this.#known.isWhole && this.#known.get(id) === null;
    setText(parts.missing, isMissing ? 'Finding ' + id + ' is not kept here (any more).' : '');
    setHidden(parts.missing, !isMissing);
  }

  /* Few that stand are what one came for: they are open until they are closed. */
  #judge(active) {
    for (const { id } of active) {
      if (!this.#judged.has(id) && active.length <= OPEN_MOST)
        this.#opened.add(id);
      this.#judged.add(id);
    }
  }

  #cardOf(f, dayMs) {
    let card = this.#cards.get(f.id);
    if (card === undefined) {
      card = new Card(f.id, (id) => this.#toggle(id));
      this.#cards.set(f.id, card);
    }
    card.dayMs = dayMs;
    card.update(f, this.#opened.has(f.id), this.#context.store, dayMs);
    return card;
  }

  /* Times and drawings go on, the lists stay. */
  #refresh() {
    for (const [id, card] of this.#cards) {
      const f = this.#known.get(id);
      if (f !== null && (isActive(f) || this.#opened.has(id)))
        card.update(f, this.#opened.has(id), this.#context.store, card.dayMs);
    }
  }

  #reach() {
    const card = this.#wanted === null ? undefined : this.#cards.get(this.#wanted);
    if (card === undefined)
      return;
    this.#wanted = null;
    /* After the frame has given the focus to the title. */
    setTimeout(() => card.focus());
  }
}

export function makePage(root, context) {
  const page = new FindingsPage(root, context);
  return {
    show: (parameters) => page.show(parameters),
    hide() {},
    update: (store, changed) => page.update(changed),
  };
}
