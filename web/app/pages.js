/* SPDX-License-Identifier: ISC */
/*
 * The pages of the dashboard and which of them is shown. A page is made when it
 * is first asked for, its modules and its sheet are fetched then. Each module
 * NAME/page.js has
 *
 *   makePage(root, { store, repaint }) -> {
 *     show(parameters)        it becomes visible, or its address changed
 *     hide()                  it is no longer visible
 *     update(store, changed)  visible, and something new is there: changed is a
 *                             set of names (store.js); 'page' after show
 *   }
 */

import { el, setAttribute, setHidden } from './dom.js';
import { PAGES, parseAddress } from './router.js';

const TITLES = {
  now: 'Now', history: 'History', findings: 'Findings', changes: 'Changes', about: 'About',
};

export class Pages {
  #made = new Map();
  #loaders;
  #context;
  #shown = null;
  #asked = null;

  /* loaders: page -> async () => its module; context: what makePage is given. */
  constructor(loaders, context) {
    this.#loaders = loaders;
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

  #mark(name) {
    document.body.dataset.page = name;
    document.title = name === 'now' ? 'Ringside' : TITLES[name] + ' \u00b7 Ringside';
    for (const link of document.querySelectorAll('#pages a'))
      setAttribute(link, 'aria-current', link.hash === '#' + name ? 'page' : null);
  }

  async #make(name, root) {
    if (this.#made.has(name))
      return this.#made.get(name);
    try {
      const module = await this.#loaders[name]();
      if (!this.#made.has(name)) {
        if (name !== 'now')
          root.replaceChildren();
        this.#made.set(name, module.makePage(root, this.#context));
      }
      return this.#made.get(name);
    } catch (error) {
      /* The daemon is gone, or it is another one than the page came from. */
      console.info(error);
      this.#refuse(root, name);
      return null;
    }
  }

  #refuse(root, name) {
    const again = el('button', { type: 'button', click: () => this.follow() }, 'Try again');
    root.replaceChildren(el('p', { class: 'note', role: 'alert' },
      TITLES[name] + ' could not be fetched from the daemon. ', again));
  }
}

/* Everything that a view may depend on. */
const ALL = ['page', 'tick', 'history', 'findings', 'changes', 'map', 'health', 'connection'];

/* Sheets of pages that are not there at the start. Resolves when it is in force. */
export function sheet(path) {
  return new Promise((resolve, reject) => {
    const link = el('link', { rel: 'stylesheet', href: path, load: () => resolve(),
      error: () => reject(new Error(path + ' could not be fetched')) });
    document.head.append(link);
  });
}
