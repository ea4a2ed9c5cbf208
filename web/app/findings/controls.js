/* SPDX-License-Identifier: ISC */
/*
 * What chooses among the findings: severities with how many there are of each,
 * device, whether they stand, and a search in all they say.
 */

import { el, setAttribute, setChildren, setText, stateIcon } from '../dom.js';
import { SEVERITIES, SEVERITY_WORDS } from './words.js';
import { devicesOf, severityCounts } from './filter.js';

const STATE_CHOICES = [['', 'active and past'], ['active', 'active'], ['past', 'past']];

function choice(label, onChange) {
  const select = el('select', { change: () => onChange(select.value) });
  return { select, node: el('label', { class: 'filter-choice' }, el('span', {}, label), select) };
}

const option = ([value, text]) => el('option', { value }, text);

/* onChange(part): some of the filter is another. */
export function filterControls(onChange) {
  let current = null;
  const buttons = SEVERITIES.map((severity) => {
    const count = el('span', { class: 'severity-count' });
    const node = el('button', { type: 'button', class: 'severity badge-' + severity,
      'aria-pressed': 'false', click: () => {
        const severities = new Set(current.severities);
        if (!severities.delete(severity))
          severities.add(severity);
        onChange({ severities });
      } }, stateIcon(severity), el('span', {}, SEVERITY_WORDS[severity]), ' ', count);
    return { severity, node, count };
  });
  const device = choice('Device', (value) => onChange({ device: value }));
  const state = choice('State', (value) => onChange({ state: value }));
  setChildren(state.select, STATE_CHOICES.map(option));
  const text = el('input', { type: 'search', placeholder: 'in all they say',
    input: () => onChange({ text: text.value }) });
  const node = el('form', { class: 'filter', role: 'search', 'aria-label': 'Which findings',
    submit: (event) => event.preventDefault() },
  el('div', { class: 'severities', role: 'group', 'aria-label': 'Severity' },
    ...buttons.map((b) => b.node)),
  device.node, state.node, el('label', { class: 'filter-choice' }, el('span', {}, 'Search'), text));

  let listed = '';
  const update = (filter, findings) => {
    current = filter;
    const counts = severityCounts(findings, filter);
    for (const { severity, node: button, count } of buttons) {
      setText(count, String(counts[severity]));
      setAttribute(button, 'aria-pressed', String(filter.severities.has(severity)));
    }
    const names = new Set(devicesOf(findings));
    /* What a link asks for is said, there or not. */
    if (filter.device !== '')
      names.add(filter.device);
    const list = JSON.stringify([...names]);
    if (list !== listed) {
      listed = list;
      setChildren(device.select, [['', 'all'], ...[...names].map((n) => [n, n])].map(option));
    }
    device.select.value = filter.device;
    state.select.value = filter.state;
    if (text.value !== filter.text)
      text.value = filter.text;
  };
  return { node, update };
}
