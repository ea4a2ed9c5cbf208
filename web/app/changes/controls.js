/* SPDX-License-Identifier: ISC */
/*
 * What chooses among the changes: a device, a setting. Lists what there is to
 * choose, and what the address asks for whether it is there or not.
 */

import { el } from '../dom.js';
import { selectBox } from '../selectbox.js';
import { settingWords } from '../settings.js';

/* The values there are and the chosen one, by their words, after "all". */
function optionsOf(values, chosen, words) {
  const all = [...new Set(chosen === '' ? values : [...values, chosen])].map((v) => [v, words(v)])
    .sort((a, b) => a[1].localeCompare(b[1], 'en', { numeric: true }));
  return [['', 'all'], ...all];
}

/* onChange({ device } or { kind }) */
export function filterControls(onChange) {
  const device = selectBox('Device', 'pick', (value) => onChange({ device: value }));
  const kind = selectBox('Setting', 'pick', (value) => onChange({ kind: value }));
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
    device.update(optionsOf(seen.devices, filter.device, (name) => name), filter.device);
    kind.update(optionsOf(seen.kinds, filter.kind, settingWords), filter.kind);
  };
  return { node, update };
}
