/* SPDX-License-Identifier: ISC */
/*
 * Which page is shown and how, kept in the address so that a link shows the same:
 * "#history?m=...". Only what comes after '#' is used: the daemon serves one
 * document. Pure but for location.
 */

export const PAGES = ['now', 'history', 'findings', 'changes', 'about'];

/* { page, parameters } of "#page?name=value&..."; what is no page is the first. */
export function parseAddress(hash) {
  const text = hash.startsWith('#') ? hash.slice(1) : hash;
  const at = text.indexOf('?');
  const name = at < 0 ? text : text.slice(0, at);
  const parameters = new URLSearchParams(at < 0 ? '' : text.slice(at + 1));
  return { page: PAGES.includes(name) ? name : PAGES[0], parameters };
}

/* parameters: URLSearchParams, or an object of texts, lists and null (left out). */
export function addressOf(page, parameters = {}) {
  const search = new URLSearchParams();
  const entries = parameters instanceof URLSearchParams ? [...parameters]
    : Object.entries(parameters);
  for (const [name, values] of entries) {
    for (const value of [values].flat()) {
      if (value !== null && value !== undefined && value !== '')
        search.append(name, value);
    }
  }
  const query = search.toString();
  return '#' + page + (query === '' ? '' : '?' + query);
}

/* A step of its own: "back" leads to what was shown before. */
export function go(page, parameters) {
  location.hash = addressOf(page, parameters);
}

/* The present page tells what it shows now: no step of its own, no event. */
export function tell(page, parameters) {
  history.replaceState(null, '', addressOf(page, parameters));
}
