/* SPDX-License-Identifier: ISC */
/*
 * The findings and setting changes that the marks are made of: those of the shown range
 * are asked for once, what is new comes by the stream.
 */

import { get } from '../api.js';
import { CHANGES_MAX, changesCutAt, findingsCutAt, marksOf } from './events.js';
import { reasonOf } from './problem.js';

export class Told {
  /* Why there are none; null: there are. */
  problem = null;
  /* { finding, change }: the times before which there are more than were told. */
  cut = {};
  #findings = [];
  #changes = [];
  /* The range that they are of. */
  #known = null;
  #turn = 0;

  /* Some may have been missed. */
  forget() {
    this.#known = null;
  }

  /* isOpen: the range goes on with time. */
  async ask([from, to], isOpen) {
    if (this.#known !== null && from >= this.#known.from && to <= this.#known.to)
      return;
    const turn = ++this.#turn;
    const after = String(from / 1000);
    try {
      const [findings, changes] = await Promise.all([get('findings', { state: 'all', after }),
        get('changes', { after, ...isOpen ? {} : { before: String(to / 1000) },
          limit: String(CHANGES_MAX) })]);
      /* Another range may have been asked for meanwhile. */
      if (turn !== this.#turn)
        return;
      this.#findings = findings;
      this.#changes = changes;
      this.cut = { finding: findingsCutAt(findings), change: changesCutAt(changes) };
      this.#known = { from, to: isOpen ? Infinity : to };
      this.problem = null;
    } catch (error) {
      if (turn === this.#turn)
        this.problem = reasonOf(error);
    }
  }

  /* What was asked for, and what the stream brought since. */
  marks({ findings, changes }, span) {
    const allFindings = new Map([...this.#findings.map((f) => [f.id, f]), ...findings]);
    const allChanges = new Map([...this.#changes, ...changes ?? []].map((c) => [c.id, c]));
    return marksOf([...allFindings.values()],
      [...allChanges.values()].sort((a, b) => b.at_ms - a.at_ms), span);
  }
}
