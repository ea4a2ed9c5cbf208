/* SPDX-License-Identifier: ISC */
/*
 * The files of the dashboard as three lists have them: the folder, what CMake
 * embeds, and what index.html has fetched ahead. Run alone it prints the lines for
 * index.html.
 */

import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
const app = join(web, 'app');
const text = (path) => readFileSync(join(app, path), 'utf8');

export function filesOfFolder() {
  return readdirSync(app, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(app, join(entry.parentPath ?? entry.path, entry.name))).sort();
}

export function filesEmbedded() {
  const list = /rs_embed\(\S+ \S+\n([^)]*)\)/.exec(readFileSync(join(web, 'CMakeLists.txt'), 'utf8'));
  return list[1].split(/\s+/).filter((name) => name !== '' && !name.startsWith('$')).sort();
}

/* Modules that a module names; asked: those fetched only when they are needed. */
export function importsOf(path) {
  const names = (pattern) => [...text(path).matchAll(pattern)]
    .map((found) => normalize(join(dirname(path), found[1] ?? found[2])));
  return {
    first: names(/^(?:import|export)\b[^'"]*?from\s*'(\.[^']+)'|^import\s*'(\.[^']+)'/gm),
    asked: names(/\bimport\('(\.[^']+)'\)/g),
  };
}

/* All that a module needs before it runs, itself first. */
export function neededBy(path) {
  const found = new Set([path]);
  for (const one of found)
    importsOf(one).first.forEach((name) => found.add(name));
  return [...found];
}

export function preloaded() {
  return [...text('index.html').matchAll(/<link rel="modulepreload" href="([^"]+)">/g)]
    .map((found) => found[1]);
}

/* app.js itself is named by its script element. */
export function toPreload() {
  return neededBy('app.js').slice(1).sort();
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of toPreload())
    console.log('  <link rel="modulepreload" href="' + path + '">');
}
