import { html, type SafeHtml } from '@remix-run/html-template'

const KEYS = [
  ['C', 'create a link'],
  ['/', 'search'],
  ['J', 'next link, also ↓'],
  ['K', 'link before, also ↑'],
  ['E', 'edit the link'],
  ['Q', 'its QR code'],
  ['X', 'pick it, or let it go'],
  ['?', 'these keys'],
  ['Esc', 'close, or leave the search'],
] as const

/** The keys of the list, in a dialog that `keys.js` opens. */
export function keysHelp(): SafeHtml {
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl class="facts">${KEYS.map(([key, text]) => html`<dt><kbd class="key-name">${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<form method="dialog"><button class="button small">Close</button></form></dialog>`
}
