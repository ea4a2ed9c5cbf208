/* SPDX-License-Identifier: ISC */
/*
 * What a machine can tell of how well the pages serve those who do not see them, do
 * not see colours or use no mouse: axe-core over every page, full and empty, light
 * and dark, on a phone and on a desk.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { makeFinding, past, seriesOf } from './findings.mjs';
import * as maps from './maps.mjs';
import { close as closeAll, open, openMap, openPage } from './support.mjs';

const PAGES = ['now', 'history', 'findings', 'changes', 'about'];
const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
];

let axe;

before(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await open();
});

after(closeAll);

/* Folded things are part of the page too. */
async function unfold(page) {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details'))
      details.open = true;
  });
}

/* One line a violation that is serious or worse: the rule, and where. */
async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document,
    { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa',
      'wcag22aa', 'best-practice'] }));
  return found.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => v.id + ': ' + v.nodes.slice(0, 4).map((n) => n.target.join(' ') + ' ('
      + n.failureSummary.split('\n').slice(1, 2).join('').trim() + ')').join('; '));
}

/* What is there when a page has been made and has what it asked for first. */
const READY = {
  now: '#load canvas[data-samples]', history: '#page-history h2',
  findings: '#page-findings h2', changes: '#page-changes h2', about: '#page-about dd',
};

async function isReady(page, name) {
  await page.waitForSelector('#state svg', { state: 'attached' });
  await page.waitForSelector(READY[name], { state: 'attached' });
}

/* more: what else must be there of a page. */
async function walk(page, look, more = {}) {
  const bad = [];
  for (const name of PAGES) {
    await page.click(`#pages a[href="#${name}"]`);
    await isReady(page, name);
    if (more[name])
      await page.waitForSelector(more[name]);
    await unfold(page);
    bad.push(...(await violations(page)).map((v) =>
      `${name}, ${look.colorScheme}, ${look.viewport.width} px: ${v}`));
  }
  return bad;
}

/* A router with findings, changes and history of everything that is asked. */
function busyRouter(look) {
  const findings = [makeFinding(7), ...past(6)];
  const answer = (name, url) => {
    if (name === 'findings')
      return { json: findings };
    if (name === 'series') {
      return { json: url.searchParams.get('after').startsWith('-')
        ? { time_ms: [], series: [] } : seriesOf(url, { from: findings[0].raised_ms, to: Infinity }) };
    }
    return name === 'catalog' ? { json: [] } : null;
  };
  return openMap(maps.piled(), { ...look, changes: maps.changes(), answer });
}

describe('axe finds nothing serious', () => {
  for (const look of LOOKS) {
    const where = look.colorScheme + ', ' + look.viewport.width + ' px';

    test('on this machine, ' + where, async () => {
      const { page, close } = await openPage({ ...look, reducedMotion: 'reduce' });
      assert.deepEqual(await walk(page, look, { history: '#page-history canvas' }), []);
      await close();
    });

    test('on a router with findings and changes, ' + where, async () => {
      const { page, close } = await busyRouter({ ...look, reducedMotion: 'reduce' });
      assert.deepEqual(await walk(page, look), []);
      await close();
    });
  }

  test('on 64 cores', async () => {
    const { page, close } = await openMap(maps.bigBusy(), LOOKS[0]);
    await isReady(page, 'now');
    await unfold(page);
    assert.deepEqual(await violations(page), []);
    await close();
  });

  test('and it would find what is wrong', async () => {
    const { page, close } = await openPage();
    await isReady(page, 'now');
    await page.evaluate(() => {
      const faint = document.createElement('p');
      faint.textContent = 'faint';
      faint.style.color = '#ccc';
      document.querySelector('main').append(faint);
    });
    assert.match((await violations(page)).join('\n'), /color-contrast/);
    await close();
  });
});
