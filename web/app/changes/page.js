/* SPDX-License-Identifier: ISC */
/*
 * The log of settings, with what was measured before and after each moment at
 * which some changed. What is chosen stands in the address:
 * "#changes?device=eth0&kind=rps_cpus".
 */

import { el, keyedRows, setHidden, setText } from '../dom.js';
import { zone } from '../format.js';
import { tell } from '../router.js';
import { filterControls } from './controls.js';
import { Effects } from './effects.js';
import { ChangeLog } from './log.js';
import { momentsOf } from './moments.js';
import { makeRow } from './row.js';

const LEAD = 'What stood before and after each change: the minute before it and the minute after, '
  + 'without the seconds around it. That one followed the other does not make it the cause.';

export function makePage(root, { store, repaint }) {
  return new ChangesPage(root, store, repaint);
}

class ChangesPage {
  #store;
  #repaint;
  #log;
  #effects;
  #controls;
  #rows;
  #lead;
  #note = el('p', { class: 'muted', role: 'status' });
  #all = el('button', { type: 'button', hidden: true, click: () => this.#choose(
    { device: '', kind: '' }) }, 'Show all changes');
  #more = el('button', { type: 'button', class: 'fold', hidden: true,
    click: () => this.#log.older() }, 'Show older ones');
  #isDirty = true;
  #connection = null;
  /* Row -> { moment, row, isSeen } */
  #places = new Map();
  #observer;

  constructor(root, store, repaint) {
    this.#store = store;
    this.#repaint = repaint;
    const news = () => {
      this.#isDirty = true;
      repaint();
    };
    this.#log = new ChangeLog(news);
    this.#effects = new Effects(store, news);
    this.#controls = filterControls((part) => this.#choose({ ...this.#log.filter, ...part }));
    this.#observer = new IntersectionObserver((entries) => this.#see(entries),
      { rootMargin: '100px' });
    this.#lead = el('p', { class: 'muted changes-lead' });
    const list = el('ol', { class: 'moments', 'aria-label': 'Changes, newest first' });
    root.append(el('div', { class: 'changes-head' },
      el('h2', { class: 'page-title', tabindex: '-1' }, 'Changes'), this.#controls.node),
    this.#lead, this.#note, this.#all, list, this.#more);
    this.#rows = keyedRows(list, (m) => m.key, (m) => this.#makeRow(m, news));
  }

  show(parameters) {
    this.#log.load({ device: parameters.get('device') ?? '', kind: parameters.get('kind') ?? '' });
    for (const node of this.#places.keys())
      this.#observer.observe(node);
  }

  hide() {
    this.#observer.disconnect();
    this.#effects.hideAll();
  }

  update(store, changed) {
    if (store.connection === 'live' && this.#connection !== null && this.#connection !== 'live') {
      this.#log.load(this.#log.filter);
      this.#effects.heal();
    }
    this.#connection = store.connection;
    if (changed.has('changes'))
      this.#log.add(store.changes ?? []);
    this.#effects.tick();
    if (this.#isDirty || ['page', 'changes', 'connection'].some((name) => changed.has(name)))
      this.#render();
    else if (changed.has('tick'))
      this.#renderSeen();
  }

  #choose(filter) {
    tell('changes', filter);
    this.#log.load(filter);
    this.#isDirty = true;
    this.#repaint();
  }

  #makeRow(first, onFold) {
    const row = makeRow(this.#effects, onFold);
    const place = { moment: first, row, isSeen: false };
    this.#places.set(row.node, place);
    this.#observer.observe(row.node);
    const update = (moment) => {
      place.moment = moment;
      if (place.isSeen)
        this.#effects.show(moment);
      row.update(moment, this.#store);
    };
    return { node: row.node, update };
  }

  #see(entries) {
    for (const { target, isIntersecting } of entries) {
      const place = this.#places.get(target);
      if (place === undefined)
        continue;
      place.isSeen = isIntersecting;
      if (isIntersecting)
        this.#effects.show(place.moment);
      else
        this.#effects.hide(place.moment);
    }
    this.#renderSeen();
  }

  /* Seconds go by: what is not on the screen can wait. */
  #renderSeen() {
    for (const { moment, row, isSeen } of this.#places.values()) {
      if (isSeen)
        row.update(moment, this.#store);
    }
  }

  #render() {
    this.#isDirty = false;
    const { list, filter, isWhole, isAsking } = this.#log;
    this.#controls.update(filter, [...this.#store.changes ?? [], ...list ?? []],
      this.#store.interfaces);
    setText(this.#lead, LEAD + ' Times are local (' + zone(this.#store.nowMs) + ').');
    this.#rows(momentsOf(list ?? []));
    for (const [node, { moment }] of this.#places) {
      if (!node.isConnected) {
        this.#observer.unobserve(node);
        this.#effects.hide(moment);
        this.#places.delete(node);
      }
    }
    const note = this.#noteText();
    setText(this.#note, note);
    setHidden(this.#note, note === '');
    const isFiltered = filter.device !== '' || filter.kind !== '';
    setHidden(this.#all, !isFiltered || list === null || list.length > 0);
    setHidden(this.#more, list === null || list.length === 0 || isWhole);
    this.#more.disabled = isAsking;
  }

  #noteText() {
    const { list, problem, filter } = this.#log;
    if (problem !== null) {
      return (list === null ? 'The changes could not be fetched: ' : 'This list may be old: ')
        + problem + '.';
    }
    if (list === null)
      return 'Fetching the changes.';
    if (list.length > 0)
      return '';
    if (filter.device !== '' || filter.kind !== '')
      return 'None of these was seen to change.';
    return 'None seen: affinity, steering, rings, channels, clocks and links are as they were '
      + 'since this daemon began to look.';
  }
}
