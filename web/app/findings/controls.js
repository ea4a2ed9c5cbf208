/* SPDX-License-Identifier: ISC */
/*
 * What chooses among the findings: severities with how many there are of each,
 * device, whether they stand, and a search in all they say.
 */

import { el, setAttribute, setText, stateIcon } from '../dom.js';
import { selectBox } from '../selectbox.js';
import { SEVERITIES, SEVERITY_WORDS } from './words.js';
import { devicesOf, severityCounts } from './filter.js';

const STATE_CHOICES = [['', 'active and past'], ['active', 'active'], ['past', 'past']];

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
  const device = selectBox('Device', 'filter-choice', (value) => onChange({ device: value }));
  const state = selectBox('State', 'filter-choice', (value) => onChange({ state: value }));
  const text = el('input', { type: 'search', placeholder: 'in all they say',
    input: () => onChange({ text: text.value }) });
  const node = el('form', { class: 'filter', role: 'search', 'aria-label': 'Which findings',
    submit: (event) => event.preventDefault() },
  el('div', { class: 'severities', role: 'group', 'aria-label': 'Severity' },
    ...buttons.map((b) => b.node)),
  device.node, state.node, el('label', { class: 'filter-choice' }, el('span', {}, 'Search'), text));

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
    device.update([['', 'all'], ...[...names].map((n) => [n, n])], filter.device);
    state.update(STATE_CHOICES, filter.state);
    if (text.value !== filter.text)
      text.value = filter.text;
  };
  return { node, update };
}
