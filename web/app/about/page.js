/* SPDX-License-Identifier: ISC */
/*
 * The page about the instrument: what it costs, whether it keeps time, what it
 * stores, what it reads and what it cannot. Asked again while it is shown.
 */

import { get } from '../api.js';
import { el, keyedRows, setHidden, setText } from '../dom.js';
import { SECTIONS, accountingText, askedText, tierTexts, tiersOf } from './figures.js';
import { LINKS } from './links.js';
import { sortedSources, sourceTexts } from './sources.js';
import { figureList, panel, table } from './tables.js';

const AGAIN_MS = 3000;
const SHARE_SPAN_MS = 10000;

const TIER_COLUMNS = [['Tier', 'name', ''], ['Reaches back to', 'since', ''],
  ['Which is', 'span', ''], ['Rows given up for room', 'givenUp', 'number']];
const SOURCE_COLUMNS = [['What', 'words', ''], ['State', 'state', 'source-state'],
  ['Why, and what would help', 'reason', 'source-reason'], ['Read', 'pace', ''],
  ['Takes', 'cost', 'number'], ['From', 'path', 'source-path']];

export function makePage(root, context) {
  return new AboutPage(root, context);
}

class AboutPage {
  #store;
  #repaint;
  #timer = 0;
  #isAsking = false;
  #problem = null;
  #askedMs = null;
  /* Its CPU time at some answers: [{ atMs, cpuS }]. */
  #cpu = [];
  #note = el('p', { class: 'note', role: 'status', hidden: true });
  #version = el('span', {});
  #asked = el('p', { class: 'muted about-asked' });
  #accounting = el('p', { class: 'muted note-line' });
  #body = el('div', { class: 'about-body', hidden: true });
  #lists;
  #tiers = table('How far back each tier goes', TIER_COLUMNS, (t) => t.name);
  #sources = table('Sources', SOURCE_COLUMNS, (s) => s.id, (s) => s.kind);
  #rules;
  #rulesPanel;
  #alerts;
  #alertsPanel;

  constructor(root, { store, repaint }) {
    this.#store = store;
    this.#repaint = repaint;
    this.#lists = SECTIONS.map(([title, lines]) => ({ title, ...figureList(lines) }));
    const [cost, time, kept, series, clients] = this.#lists;
    const rules = el('ul', { class: 'reasons' });
    this.#rules = keyedRows(rules, (r) => r.code, makeReason);
    this.#rulesPanel = panel('What it does not judge here', el('p', { class: 'muted note-line' },
      'Rules that lack what they need. All others are judged with every sample.'), rules);
    const alerts = el('ul', { class: 'reasons' });
    this.#alerts = keyedRows(alerts, (a) => a.code, makeReason);
    this.#alertsPanel = panel('Whom it tells', alerts);
    this.#body.append(
      el('div', { class: 'about-columns' },
        panel(cost.title, cost.node), panel(time.title, time.node, this.#accounting),
        panel(kept.title, kept.node, this.#tiers.node), panel(series.title, series.node),
        panel(clients.title, clients.node), this.#alertsPanel),
      panel('What it reads', this.#sources.node), this.#rulesPanel,
      panel('For programs', el('p', { class: 'muted note-line' },
        'Everything on these pages can be asked for. Only reading: nothing is set from here.'),
      el('ul', { class: 'reasons' }, ...LINKS.map(([href, words]) =>
        el('li', {}, el('a', { href }, el('code', {}, '/' + href)),
          el('span', { class: 'muted' }, words))))));
    root.append(el('div', { class: 'about-head' },
      el('h2', { class: 'page-title', tabindex: '-1' }, 'About this instrument'), this.#version,
      this.#asked), this.#note, this.#body);
  }

  show() {
    clearInterval(this.#timer);
    this.#ask();
    this.#timer = setInterval(() => this.#ask(), AGAIN_MS);
  }

  hide() {
    clearInterval(this.#timer);
    this.#cpu = [];
  }

  update(store, changed) {
    if (changed.has('page') || changed.has('health') || changed.has('connection'))
      this.#render(store);
  }

  async #ask() {
    if (this.#isAsking || document.hidden)
      return;
    this.#isAsking = true;
    try {
      const health = await get('health');
      this.#problem = null;
      this.#askedMs = Date.now();
      this.#noteCpu(health.process_cpu_s);
      this.#store.applyHealth(health);
    } catch (error) {
      this.#problem = error;
      this.#render(this.#store);
    } finally {
      this.#isAsking = false;
      this.#repaint();
    }
  }

  #noteCpu(cpuS) {
    const atMs = performance.now();
    /* Another daemon began at 0. */
    if (cpuS < (this.#cpu.at(-1)?.cpuS ?? 0))
      this.#cpu = [];
    this.#cpu.push({ atMs, cpuS });
    while (this.#cpu.length > 2 && atMs - this.#cpu[1].atMs >= SHARE_SPAN_MS)
      this.#cpu.shift();
  }

  #share() {
    const [first, last] = [this.#cpu[0], this.#cpu.at(-1)];
    return first === last ? null : 1000 * (last.cpuS - first.cpuS) / (last.atMs - first.atMs);
  }

  #render(store) {
    const { health, summary, nowMs } = store;
    const note = noteText(this.#problem, health);
    setText(this.#note, note);
    setHidden(this.#note, note === '');
    setHidden(this.#body, health === null);
    if (health === null)
      return;
    setText(this.#asked, this.#askedMs === null ? '' : askedText(this.#askedMs));
    setText(this.#version, health.version ? 'Ringside ' + health.version : '');
    for (const list of this.#lists)
      list.update({ health, summary, nowMs, share: this.#share() });
    setText(this.#accounting, accountingText(summary));
    const tiers = tiersOf(health.store);
    this.#tiers.update(tiers.map((t) => tierTexts(t, nowMs)));
    setHidden(this.#tiers.node, tiers.length === 0);
    this.#sources.update(sortedSources(health.sources ?? [])
      .map((s) => sourceTexts(s, health.uptime_s)));
    const rules = health.rules_not_evaluated ?? [];
    this.#rules(rules.map((r) => ({ code: r.code, reason: r.reason })));
    setHidden(this.#rulesPanel, rules.length === 0);
    const alerts = health.alerts ?? [];
    this.#alerts(alerts.map((a) => ({ code: a.kind, reason: alertText(a) })));
    setHidden(this.#alertsPanel, alerts.length === 0);
  }
}

function makeReason() {
  const [code, reason] = [el('code', {}), el('span', {})];
  const update = (item) => {
    setText(code, item.code);
    setText(reason, item.reason ?? '');
  };
  return { node: el('li', {}, code, reason), update };
}

function alertText({ delivered, waiting, failed_attempts: failed, dropped, error }) {
  return delivered + ' told, ' + waiting + ' waiting, ' + failed + ' attempts failed, ' + dropped
    + ' given up' + (error ? '; the last: ' + error : '');
}

function noteText(problem, health) {
  if (problem === null)
    return health === null ? 'Asking the daemon.' : '';
  const stale = health === null ? '' : ' What stands below is what it said last.';
  if (problem.status === 401 || problem.status === 403)
    return 'Not permitted: ' + problem.message + '.' + stale;
  return (problem.status ? 'The daemon did not tell: ' + problem.message + '.'
    : 'The daemon does not answer. It is asked again every few seconds.') + stale;
}
