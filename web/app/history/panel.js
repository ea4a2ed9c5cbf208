/* SPDX-License-Identifier: ISC */
/*
 * One chart of the page of history: asks for its lines, draws them, and says in words
 * what is seen, at which resolution, and what is not.
 */

import { address, get } from '../api.js';
import { loadCharts, makeChart, NoCharts } from '../chart.js';
import { el, keyedRows, setAttribute, setHidden, setText } from '../dom.js';
import { chartWords, lineWords } from './catalog.js';
import { canHeal, isLost, reasonOf } from './problem.js';
import { BANDS_SHOWN, choose, folded, LINES_SHOWN, questionOf, resolutionWords, seriesOf, styleOf,
  valuesByKey } from './query.js';

const HEIGHT = 230;
const EDGES = ['min', 'max'];
const AGGREGATES = { avg: 'mean', min: 'least', max: 'most' };

/* page: { onZoom(from, to), onRemove(chart), onFold(chart), intervalMs(), emptyText(),
 * marks() } */
export class ChartPanel {
  node;
  isBusy = false;
  /* Distance of its values at the last answer, ms; 0: none yet. */
  resolutionMs = 0;
  /* Something was not had that may be had later. */
  isIncomplete = false;
  #chart;
  #page;
  #plot = null;
  #plotKey = '';
  #shown = null;
  #turn = 0;
  #title = el('h3', { class: 'history-title' });
  #box = el('div', { class: 'history-box' });
  #state = el('p', { class: 'history-state muted', role: 'status' }, 'Asking for the values.');
  #note = el('p', { class: 'history-note muted' });
  #fold = el('button', { type: 'button', hidden: true,
    click: () => this.#page.onFold(this.#chart) }, 'Highest and mean only');
  #list = el('ul', { class: 'history-links' });
  #links = keyedRows(this.#list, (one) => one.key, makeLink);

  constructor(chart, page) {
    this.#chart = chart;
    this.#page = page;
    const title = chartWords(chart);
    setText(this.#title, title);
    const remove = el('button', { type: 'button', 'aria-label': 'Remove the chart ' + title,
      click: () => this.#page.onRemove(this.#chart) }, 'Remove');
    this.node = el('section', { class: 'panel history-chart', 'aria-label': title },
      el('div', { class: 'panel-head' }, this.#title,
        el('div', { class: 'history-tools' }, this.#fold,
          el('details', { class: 'history-csv' }, el('summary', {}, 'CSV'), this.#list), remove)),
      this.#state, this.#box, this.#note);
  }

  get chart() {
    return this.#chart;
  }

  /* The same lines, folded or not. */
  set chart(chart) {
    this.#chart = chart;
  }

  /* Asks and draws. isQuiet: the same lines go on, nothing is chosen anew. */
  async ask(span, points, isQuiet = false) {
    const turn = ++this.#turn;
    this.isBusy = true;
    if (!isQuiet)
      this.#shown = null;
    this.#setLinks(span, points);
    try {
      const [answers] = await Promise.all([this.#answers(span, points), loadCharts()]);
      if (turn !== this.#turn)
        return;
      this.isIncomplete = answers.refused.some(({ error }) => canHeal(error));
      this.#refused = answers.refused;
      this.#take(answers.there, span);
      if (this.#wantsBand)
        await this.#askEdges(span, points, turn);
      setAttribute(this.node, 'data-failed', null);
    } catch (error) {
      if (turn === this.#turn)
        this.#refuse(error);
    } finally {
      if (turn === this.#turn)
        this.isBusy = false;
    }
  }

  /* The new range at once, with the values that are there. */
  setRange([from, to]) {
    this.#plot?.setRange(from, to);
  }

  setMarks(marks) {
    this.#plot?.setMarks(marks);
  }

  destroy() {
    this.#turn++;
    this.#drop();
    this.node.remove();
  }

  #data = null;
  #edges = new Map();
  #wantsBand = false;
  /* Lines that were not had: [{ line, error }]. */
  #refused = [];

  /* One line that is refused does not take the others with it. */
  async #answers(span, points) {
    const { lines } = this.#chart;
    const asked = await Promise.allSettled(lines.map((line) =>
      get('series', questionOf(line, span, points))));
    const there = asked.filter((a) => a.status === 'fulfilled').map((a) => a.value);
    if (there.length === 0)
      throw asked[0].reason;
    const refused = asked.map((a, i) => ({ line: lines[i], error: a.reason }))
      .filter((_, i) => asked[i].status === 'rejected');
    return { there, refused };
  }

  #take(answers, span) {
    this.#data = seriesOf(answers);
    this.resolutionMs = this.#data.resolutionMs;
    const { series, times } = this.#data;
    setAttribute(this.#fold, 'aria-pressed', String(this.#chart.isFolded));
    setHidden(this.#fold, series.length <= 2 || series[0].peak <= 0);
    if (series.length === 0) {
      this.#drop();
      setText(this.#note, this.#refusedTexts().join(' \u00b7 '));
      this.#say(this.#page.emptyText());
      return;
    }
    const choice = this.#choice(series);
    const drawn = this.#chart.isFolded && series.length > 2 ? folded(series, times.length)
      : choice.shown;
    this.#wantsBand = this.resolutionMs > this.#page.intervalMs() * 1.5 && !choice.isDead
      && drawn.length <= BANDS_SHOWN && drawn[0].labels !== undefined;
    this.#draw(drawn, span);
    setText(this.#note, this.#noteText(choice, drawn));
    this.#say('');
  }

  /* While time goes on, the lines stay the same ones as long as that is the truth. */
  #choice(series) {
    const fresh = choose(series);
    const before = this.#shown;
    if (before !== null && fresh.zero === before.zero && fresh.left === before.left
      && fresh.isDead === before.isDead) {
      const byKey = new Map(series.map((s) => [s.key, s]));
      if (before.keys.every((key) => byKey.has(key)))
        return { ...fresh, shown: before.keys.map((key) => byKey.get(key)) };
    }
    this.#shown = { ...fresh, keys: fresh.shown.map((s) => s.key) };
    this.#edges = new Map();
    return fresh;
  }

  #draw(drawn, [from, to]) {
    const { times, unit } = this.#data;
    const key = JSON.stringify([unit, this.#wantsBand, drawn.map((s) => [s.key, s.label])]);
    if (key !== this.#plotKey) {
      this.#drop();
      this.#plotKey = key;
      setHidden(this.#box, false);
      this.#plot = makeChart(this.#box, { height: HEIGHT, unit, band: this.#wantsBand,
        sync: 'history', marks: true, label: this.#title.textContent, onZoom: this.#page.onZoom,
        series: drawn.map((s, i) => ({ label: s.label, ...styleOf(i) })) });
    }
    const none = new Array(times.length).fill(null);
    const edge = (s, name) => {
      const values = this.#edges.get(name)?.get(s.key);
      return values?.length === times.length ? values : none;
    };
    this.#plot.setRange(from, to);
    this.#plot.setData(times, drawn.flatMap((s) => this.#wantsBand
      ? [s.values, ...EDGES.map((name) => edge(s, name))] : [s.values]));
    this.#plot.setMarks(this.#page.marks());
    this.#drawn = drawn;
  }

  #drawn = [];

  /* Least and most of each step, of those lines only that are drawn. */
  async #askEdges(span, points, turn) {
    const lines = this.#chart.lines.map((line) => {
      const own = this.#drawn.filter((s) => s.metric === line.metric);
      const names = Object.keys(own[0]?.labels ?? {});
      return own.length === 0 ? null : { metric: line.metric, labels: Object.fromEntries(names.map(
        (name) => [name, [...new Set(own.map((s) => s.labels[name]))]])) };
    }).filter((line) => line !== null);
    const asked = Promise.all(EDGES.map((aggregate) => Promise.all(lines.map((line) =>
      get('series', questionOf(line, span, points, aggregate))))));
    /* Without the band the means are still worth seeing. */
    const answers = await asked.catch((error) => {
      if (turn === this.#turn) {
        this.isIncomplete ||= canHeal(error);
        setText(this.#note, this.#note.textContent + ' \u00b7 the band could not be had: '
          + reasonOf(error));
      }
      return null;
    });
    if (answers === null)
      return;
    if (turn !== this.#turn || this.#plot === null)
      return;
    this.#edges = new Map(EDGES.map((name, i) =>
      [name, valuesByKey(answers[i], this.#data.times)]));
    this.#draw(this.#drawn, span);
  }

  #noteText(choice, drawn) {
    const parts = [resolutionWords(this.resolutionMs, this.#page.intervalMs())
      + (this.#wantsBand ? ', band: least to most' : '')];
    if (choice.isDead) {
      parts.push(this.#data.series.length > 1 ? 'all ' + this.#data.series.length
        + ' lines are zero throughout, one is drawn' : 'zero throughout');
    } else if (drawn === choice.shown || drawn[0].labels !== undefined) {
      if (choice.left > 0) {
        parts.push(LINES_SHOWN + ' of ' + (LINES_SHOWN + choice.left) + ' shown, highest first');
      }
      if (choice.zero > 0)
        parts.push(choice.zero + ' that are zero throughout are not drawn');
    }
    return [...parts, ...this.#refusedTexts()].join(' \u00b7 ');
  }

  #refusedTexts() {
    return this.#refused.map(({ line, error }) =>
      lineWords(line) + ' is not drawn: ' + reasonOf(error));
  }

  /* What is drawn stays, unless the question itself is wrong. */
  #refuse(error) {
    setAttribute(this.node, 'data-failed', '');
    this.isIncomplete = canHeal(error);
    const before = this.#plot === null ? '' : ' What is drawn is from before.';
    if (error instanceof NoCharts) {
      this.#say(error.message);
    } else if (isLost(error)) {
      this.#say('The daemon does not answer.' + before);
    } else if (error.status === undefined) {
      this.#say('The charts could not be drawn: ' + error.message);
    } else {
      if (!this.isIncomplete)
        this.#drop();
      this.#say('Refused: ' + error.message + '.' + (this.isIncomplete ? before : ''));
    }
  }

  #say(text) {
    setText(this.#state, text);
    setHidden(this.#state, text === '');
  }

  #drop() {
    this.#plot?.destroy();
    this.#plot = null;
    this.#plotKey = '';
    setHidden(this.#box, true);
  }

  /* The same question as what is drawn, as files. */
  #setLinks(span, points) {
    this.#links(this.#chart.lines.flatMap((line, i) =>
      Object.entries(AGGREGATES).map(([aggregate, word]) => ({ key: i + aggregate, line, word,
        aggregate, href: address('series',
          { ...questionOf(line, span, points, aggregate), format: 'csv' }) }))));
  }
}

/* A link that is being chosen stays the same one. */
function makeLink({ line, aggregate, word }) {
  const link = el('a', { download: 'ringside-' + line.metric + '-' + aggregate + '.csv' },
    lineWords(line) + ', ' + word);
  return { node: el('li', {}, link), update: ({ href }) => setAttribute(link, 'href', href) };
}
