/* SPDX-License-Identifier: ISC */
/*
 * The pages, and which is shown. One is fetched and made when it is first asked for.
 * Each NAME/page.js has
 *
 *   makePage(root, { store, repaint }) -> {
 *     show(parameters)        it becomes visible, or its address changed
 *     hide()                  it is no longer visible
 *     update(store, changed)  visible, and there is news: names (store.js), 'page'
 *                             after show
 *   }
 */

import { el, setAttribute, setHidden } from './dom.js';
import { PAGES, parseAddress } from './router.js';

const titleOf = (name) => name[0].toUpperCase() + name.slice(1);

export class Pages {
  #made = new Map();
  #first;
  #context;
  #shown = null;
  #asked = null;
  #isRefused = false;

  /* The module of "now", and what makePage is given. */
  constructor(first, context) {
    this.#first = first;
    this.#context = context;
    addEventListener('hashchange', () => this.follow(true));
  }

  /* Shows what the address says. */
  async follow(isStep = false) {
    const { page: name, parameters } = parseAddress(location.hash);
    const root = document.getElementById('page-' + name);
    this.#asked = name;
    this.#mark(name);
    for (const other of PAGES)
      setHidden(document.getElementById('page-' + other), other !== name);
    if (this.#shown !== null && this.#shown !== name)
      this.#made.get(this.#shown)?.hide();
    this.#shown = null;
    this.#isRefused = false;
    const page = await this.#make(name, root);
    /* Another one may have been asked for meanwhile. */
    if (page === null || this.#asked !== name)
      return;
    this.#shown = name;
    page.show(parameters);
    page.update(this.#context.store, new Set(ALL));
    if (isStep)
      root.querySelector('h2')?.focus({ preventScroll: true });
  }

  update(store, changed) {
    if (this.#shown !== null)
      this.#made.get(this.#shown).update(store, changed);
  }

  /* The daemon is there. */
  heal() {
    if (this.#isRefused)
      this.follow();
  }

  #mark(name) {
    document.body.dataset.page = name;
    document.title = name === 'now' ? 'Ringside' : titleOf(name) + ' \u00b7 Ringside';
    for (const link of document.querySelectorAll('#pages a'))
      setAttribute(link, 'aria-current', link.hash === '#' + name ? 'page' : null);
  }

  async #make(name, root) {
    if (this.#made.has(name))
      return this.#made.get(name);
    try {
      const module = name === 'now' ? this.#first : await fetched(name);
      if (!this.#made.has(name)) {
        if (name !== 'now')
          root.replaceChildren();
        this.#made.set(name, module.makePage(root, this.#context));
      }
      return this.#made.get(name);
    } catch (error) {
      console.info(error);
      this.#refuse(root, name);
      return null;
    }
  }

  #refuse(root, name) {
    this.#isRefused = true;
    const again = el('button', { type: 'button', click: () => this.follow() }, 'Try again');
    root.replaceChildren(el('p', { class: 'note', role: 'alert' },
      titleOf(name) + ' could not be fetched from the daemon. ', again));
  }
}

const ALL = ['page', 'tick', 'history', 'findings', 'changes', 'map', 'health', 'connection'];

/* The sheet at the same time. */
async function fetched(name) {
  const [module] = await Promise.all([import('./' + name + '/page.js'),
    sheet(name + '/page.css')]);
  return module;
}

const sheets = new Map();

/* Adds a sheet, once. Resolves when it is in force. */
export function sheet(path) {
  if (!sheets.has(path)) {
    sheets.set(path, new Promise((resolve, reject) => {
      const link = el('link', { rel: 'stylesheet', href: path, load: resolve, error: () => {
        link.remove();
        sheets.delete(path);
        reject(new Error(path + ' could not be fetched'));
      } });
      document.head.append(link);
    }));
  }
  return sheets.get(path);
}

/* A script of its own, too: where a part of app.js did not come, all is asked for
 * again, once. */
addEventListener('load', () => {
  if (document.querySelector('.figure') === null
    && performance.getEntriesByType('navigation')[0].type !== 'reload')
    setTimeout(() => location.reload(), 3000);
});
