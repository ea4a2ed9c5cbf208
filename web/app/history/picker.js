/* SPDX-License-Identifier: ISC */
/*
 * Chooses what a further chart or line shows: a metric by plain words, found by typing,
 * then which cores, interfaces or queues of it.
 */

import { el, setChildren, setHidden, setText } from '../dom.js';
import { CHARTS_MAX, LINES_MAX } from './address.js';
import { chartWords, GROUPS, LABEL_WORDS, search, valueWords } from './catalog.js';
import { drawnUnit } from './query.js';

const CHOICES_MAX = 256;

/* onAdd(line, chart | null): null: as a chart of its own. */
export function picker(onAdd) {
  let metrics = new Map();
  let charts = [];
  const field = el('input', { type: 'search', placeholder: 'packet load, drops, eth0 \u2026',
    'aria-label': 'Search metrics', autocomplete: 'off' });
  const list = el('select', { size: '9', 'aria-label': 'Metrics' });
  const choices = el('div', { class: 'picker-choices' });
  const about = el('p', { class: 'muted' });
  const target = el('select', { 'aria-label': 'Where to draw it' });
  const add = el('button', { type: 'submit' }, 'Add');
  const limit = el('p', { role: 'status', hidden: true });
  const where = el('div', { class: 'picker-where' }, target, add, limit);
  const form = el('form', { class: 'picker-form', submit: (event) => {
    event.preventDefault();
    if (metrics.has(list.value))
      onAdd({ metric: list.value, labels: chosen() },
        target.value === '' ? null : charts[Number(target.value)]);
  } }, el('div', { class: 'picker-metrics' }, field, list),
  el('div', { class: 'picker-rest' }, about, choices, where));
  const node = el('details', { class: 'picker' }, el('summary', {}, 'Add a chart or a line'), form);

  const chosen = () => {
    const labels = {};
    for (const box of choices.querySelectorAll('input:checked'))
      (labels[box.name] ??= []).push(box.value);
    return labels;
  };

  const fillList = () => {
    const before = list.value;
    const found = search(metrics, field.value);
    setChildren(list, GROUPS.map((group) => [group, found.filter((m) => m.group === group)])
      .filter(([, members]) => members.length > 0)
      .map(([group, members]) => el('optgroup', { label: group },
        ...members.map((m) => el('option', { value: m.metric, title: m.metric }, m.words)))));
    list.value = found.some((m) => m.metric === before) ? before : found[0]?.metric ?? '';
    if (list.value !== before || found.length === 0)
      fillChoices();
  };

  const fillChoices = () => {
    const metric = metrics.get(list.value);
    setHidden(where, metric === undefined);
    setText(about, metric === undefined ? 'Nothing has these words.'
      : metric.metric + ', ' + metric.count + ' series. Nothing ticked is all of them.');
    setChildren(choices, Object.entries(metric?.labels ?? {})
      .filter(([, values]) => values.length > 1).map(([label, values]) =>
        el('fieldset', {}, el('legend', {}, LABEL_WORDS[label] ?? label),
          ...values.slice(0, CHOICES_MAX).map((value) => el('label', {},
            el('input', { type: 'checkbox', name: label, value }),
            ' ' + valueWords(label, value))))));
    fillTargets();
  };

  /* One axis has one unit. */
  const fillTargets = () => {
    const metric = metrics.get(list.value);
    const before = target.value;
    const fits = charts.map((chart, i) => ({ i, chart })).filter(({ chart }) => {
      const known = metrics.get(chart.lines[0].metric);
      return metric !== undefined && known !== undefined && drawnUnit(known) === drawnUnit(metric);
    });
    const isFull = charts.length >= CHARTS_MAX;
    const hasRoom = ({ chart }) => chart.lines.length < LINES_MAX;
    setChildren(target, [
      el('option', { value: '', disabled: isFull }, 'as a chart of its own'
        + (isFull ? ' (there are ' + CHARTS_MAX + ' charts, the most)' : '')),
      ...fits.map((fit) => el('option', { value: String(fit.i), disabled: !hasRoom(fit) },
        'into: ' + chartWords(fit.chart)
        + (hasRoom(fit) ? '' : ' (has ' + LINES_MAX + ' lines, the most)')))]);
    const choices = [...target.options].filter((one) => !one.disabled);
    target.value = (choices.find((one) => one.value === before) ?? choices[0])?.value ?? '';
    add.disabled = choices.length === 0;
    setText(limit, isFull ? 'There are ' + CHARTS_MAX + ' charts, as many as an address holds: '
      + (choices.length === 0 ? 'remove one first.' : 'a line can go into one of them.') : '');
    setHidden(limit, !isFull);
  };

  field.addEventListener('input', fillList);
  list.addEventListener('change', fillChoices);

  return {
    node,
    setMetrics(found) {
      metrics = found;
      fillList();
    },
    setCharts(list) {
      charts = list;
      fillTargets();
    },
  };
}
