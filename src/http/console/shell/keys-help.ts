import { html, type SafeHtml } from '@remix-run/html-template'

/** A key and what it does. */
export type Key = readonly [key: string, text: string]

/** The keys of the page, in a dialog that `keys.js` opens. */
export function keysHelp(keys: readonly Key[]): SafeHtml {
  const all: readonly Key[] = [
    ['C', 'create a link'],
    ...keys,
    ['?', 'these keys'],
    ['Esc', 'close this'],
  ]
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl class="facts">${all.map(([key, text]) => html`<dt><kbd class="key-name">${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<form method="dialog"><button class="button small">Close</button></form></dialog>`
}
