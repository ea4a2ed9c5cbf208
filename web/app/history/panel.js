/* SPDX-License-Identifier: ISC */
/*
 * One chart of the page of history: asks for its lines, draws them, and says in words
 * what is seen, at which resolution, and what is not.
 */

import { address, get } from '../api.js';
import { loadCharts, makeChart } from '../chart.js';
import { el, setAttribute, setChildren, setHidden, setText } from '../dom.js';
import { chartWords, metricWords } from './catalog.js';
import { BANDS_SHOWN, choose, folded, LINES_SHOWN, questionOf, resolutionWords, seriesOf, styleOf,
  valuesByKey } from './query.js';

const HEIGHT = 230;
const EDGES = ['min', 'max'];

/* page: { onZoom(from, to), onRemove(chart), onFold(chart), intervalMs(), emptyText(),
 * marks() } */
export class ChartPanel {
  node;
  isBusy = false;
  /* Distance of its values at the last answer, ms; 0: none yet. */
  resolutionMs = 0;
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
  #links = el('ul', { class: 'history-links' });

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
          el('details', { class: 'history-csv' }, el('summary', {}, 'CSV'), this.#links), remove)),
      this.#state, this.#box, this.#note);
  }

  get chart() {
    return this.#chart;
  }

  get isDrawn() {
    return this.#plot !== null;
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
      this.#take(answers, span);
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

  /* One line that is refused does not take the others with it. */
  async #answers(span, points) {
    const asked = await Promise.allSettled(this.#chart.lines.map((line) =>
      get('series', questionOf(line, span, points))));
    const there = asked.filter((a) => a.status === 'fulfilled').map((a) => a.value);
    if (there.length === 0)
      throw asked[0].reason;
    return there;
  }

  #take(answers, span) {
    this.#data = seriesOf(answers);
    this.resolutionMs = this.#data.resolutionMs;
    const { series, times } = this.#data;
    setAttribute(this.#fold, 'aria-pressed', String(this.#chart.isFolded));
    setHidden(this.#fold, series.length <= 2 || series[0].peak <= 0);
    if (series.length === 0) {
      this.#drop();
      setText(this.#note, '');
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
    const answers = await Promise.all(EDGES.map((aggregate) => Promise.all(lines.map((line) =>
      get('series', questionOf(line, span, points, aggregate))))));
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
    return parts.join(' \u00b7 ');
  }

  /* What is drawn stays. */
  #refuse(error) {
    setAttribute(this.node, 'data-failed', '');
    if (error instanceof TypeError || error.name === 'AbortError') {
      this.#say(this.#plot === null ? 'The daemon does not answer.'
        : 'The daemon does not answer. What is drawn is from before.');
    } else if (error.status === undefined) {
      this.#say('The charts could not be drawn: ' + error.message);
    } else {
      this.#drop();
      this.#say('Refused: ' + error.message + '.');
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
    const words = { avg: 'mean', min: 'least', max: 'most' };
    setChildren(this.#links, this.#chart.lines.flatMap((line) =>
      Object.entries(words).map(([aggregate, word]) => el('li', {}, el('a', {
        href: address('series', { ...questionOf(line, span, points, aggregate), format: 'csv' }),
        download: 'ringside-' + line.metric + '-' + aggregate + '.csv',
      }, metricWords(line.metric) + ', ' + word)))));
  }
}
