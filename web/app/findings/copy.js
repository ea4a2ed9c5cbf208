/* SPDX-License-Identifier: ISC */
/*
 * A button that copies a command. The clipboard interface exists on secure origins
 * only, which a router in the local network is not: the old way stands behind it.
 */

import { el, setText } from '../dom.js';

const TOLD_MS = 2000;

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el('textarea', { class: 'unseen', readonly: true, 'aria-hidden': 'true' });
    field.value = text;
    const focused = document.activeElement;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    focused?.focus();
    return isDone;
  }
}

export function copyButton(text) {
  const button = el('button', { type: 'button', class: 'copy', click: async () => {
    const isDone = await copy(text);
    setText(button, isDone ? 'Copied' : 'Not allowed');
    setTimeout(() => setText(button, 'Copy'), TOLD_MS);
  } }, 'Copy');
  return button;
}
