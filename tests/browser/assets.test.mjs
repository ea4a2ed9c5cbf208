/* SPDX-License-Identifier: ISC */
/*
 * The lists of files agree: what is in the folder is embedded, what a module names
 * is there, and index.html has fetched ahead what the page begins with and no more.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesEmbedded, filesOfFolder, importsOf, preloaded, toPreload } from './assetlist.mjs';

/* Of the build, not of the folder. */
const FOREIGN = /^uplot\//;

test('every file of the folder is embedded, and nothing else', () => {
  assert.deepEqual(filesEmbedded(), filesOfFolder());
});

test('every module that is named is there', () => {
  const there = new Set(filesOfFolder());
  for (const path of there) {
    if (!path.endsWith('.js'))
      continue;
    const { first, asked } = importsOf(path);
    for (const name of [...first, ...asked].filter((one) => !FOREIGN.test(one)))
      assert.ok(there.has(name), path + ' names ' + name);
  }
});

test('index.html has the modules of the first page fetched ahead', () => {
  assert.ok(toPreload().length > 10, 'imports are found');
  assert.deepEqual(preloaded(), toPreload(),
    'node tests/browser/assetlist.mjs prints the lines that index.html must have');
});
