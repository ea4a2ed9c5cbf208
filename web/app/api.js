/* SPDX-License-Identifier: ISC */
/* Requests to the daemon, relative to the page: a proxy may have put a prefix. */

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/* fetch and EventSource refuse a user name in it, which the page's own may have. */
export function address(path, parameters) {
  const url = new URL('api/v1/' + path, document.baseURI);
  url.username = '';
  url.password = '';
  url.hash = '';
  for (const [name, values] of Object.entries(parameters ?? {})) {
    for (const value of [values].flat())
      url.searchParams.append(name, value);
  }
  return url.href;
}

/* HEAD tells only whether it is answered. */
export async function get(path, parameters, method = 'GET') {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), 15000);
  try {
    const answer = await fetch(address(path, parameters),
      { method, cache: 'no-store', signal: abort.signal });
    if (!answer.ok)
      throw new ApiError(answer.status, await problem(answer));
    return method === 'HEAD' ? null : await answer.json();
  } finally {
    clearTimeout(timer);
  }
}

/* The sentence of an application/problem+json answer. */
async function problem(answer) {
  try {
    const body = await answer.json();
    return String(body.detail ?? body.title ?? answer.statusText);
  } catch {
    return answer.statusText || 'status ' + answer.status;
  }
}
