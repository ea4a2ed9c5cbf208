/* SPDX-License-Identifier: ISC */
/*
 * What chooses among the changes: a device, a setting. Lists what there is to
 * choose, and what the address asks for whether it is there or not.
 */

import { el, setChildren } from '../dom.js';
import { settingWords } from '../settings.js';

function choice(label, onChange) {
  const select = el('select', { change: () => onChange(select.value) });
  const node = el('label', { class: 'pick' }, el('span', {}, label), select);
  let listed = '';
  const update = (values, value, words) => {
    const all = [...new Set(value === '' ? values : [...values, value])]
      .map((v) => [v, words(v)])
      .sort((a, b) => a[1].localeCompare(b[1], 'en', { numeric: true }));
    const key = JSON.stringify(all);
    if (key !== listed) {
      listed = key;
      setChildren(select, [['', 'all'], ...all].map(([v, text]) =>
        el('option', { value: v }, text)));
    }
    if (select.value !== value)
      select.value = value;
  };
  return { node, update };
}

/* onChange({ device } or { kind }) */
export function filterControls(onChange) {
  const device = choice('Device', (value) => onChange({ device: value }));
  const kind = choice('Setting', (value) => onChange({ kind: value }));
  const node = el('form', { class: 'changes-filter', role: 'search', 'aria-label': 'Which changes',
    submit: (event) => event.preventDefault() }, device.node, kind.node);
  /* What was seen once stays to choose. */
  const seen = { devices: new Set(), kinds: new Set() };
  const update = (filter, changes, interfaces) => {
    for (const { kind: name, subject } of changes) {
      seen.kinds.add(name);
      if (subject?.device)
        seen.devices.add(subject.device);
    }
    for (const { device: name, kind: type } of interfaces) {
      if (type !== 'loopback')
        seen.devices.add(name);
    }
    device.update(seen.devices, filter.device, (name) => name);
    kind.update(seen.kinds, filter.kind, settingWords);
  };
  return { node, update };
}
