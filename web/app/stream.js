/* SPDX-License-Identifier: ISC */
/*
 * The event stream: one EventSource, opened again when the browser gives up (it does
 * on any answer but 200) or when nothing comes for too long.
 */

import { address } from './api.js';

const RETRY_FIRST_MS = 2000;
const RETRY_LAST_MS = 30000;

export class Stream {
  #handlers;
  #source = null;
  #retryTimer = 0;
  #retryMs = RETRY_FIRST_MS;
  #heardAt = 0;

  /* handlers: onOpen(), onLost(isRefused), onEvent(name, data) */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  get isWanted() {
    return this.#source !== null || this.#retryTimer !== 0;
  }

  open() {
    this.close();
    this.#heardAt = performance.now();
    const source = new EventSource(address('stream'));
    this.#source = source;
    source.addEventListener('open', () => {
      this.#heardAt = performance.now();
      this.#retryMs = RETRY_FIRST_MS;
      this.#handlers.onOpen();
    });
    source.addEventListener('error', () => this.#lost(source));
    for (const name of ['tick', 'finding', 'change', 'gap'])
      source.addEventListener(name, (event) => this.#event(name, event.data));
  }

  close() {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = 0;
    this.#source?.close();
    this.#source = null;
  }

  /* After a refusal: there is no hurry. */
  postpone() {
    if (this.#retryTimer !== 0)
      this.#retryIn(RETRY_LAST_MS);
  }

  #retryIn(ms) {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.open(), ms);
  }

  /* Now and then: opens a silent stream anew. */
  watch(silenceMs) {
    if (this.#source !== null && performance.now() - this.#heardAt > silenceMs) {
      this.#handlers.onLost(false);
      this.open();
    }
  }

  #event(name, text) {
    this.#heardAt = performance.now();
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      /* An event cut short is as good as one that was lost. */
      this.#handlers.onEvent('gap', null);
      return;
    }
    this.#handlers.onEvent(name, data);
  }

  #lost(source) {
    if (source !== this.#source)
      return;
    this.#heardAt = performance.now();
    const isRefused = source.readyState === EventSource.CLOSED;
    if (isRefused) {
      this.close();
      this.#retryIn(this.#retryMs);
      this.#retryMs = Math.min(2 * this.#retryMs, RETRY_LAST_MS);
    }
    this.#handlers.onLost(isRefused);
  }
}
