import { html, type SafeHtml } from '@remix-run/html-template'
import { shellMessages } from './messages.ts'

/** A keyboard shortcut: the key and its description. */
export type Key = readonly [key: string, text: string]

/** Renders the dialog with the shortcuts of all pages and those in `keys`. `keys.js` opens it. */
export function renderKeysHelp(keys: readonly Key[]): SafeHtml {
  const { keyTexts } = shellMessages
  const all: readonly Key[] = [
    [shellMessages.searchKeys, keyTexts.search],
    ['C', keyTexts.create],
    ...keys,
    ['?', keyTexts.help],
    ['Esc', keyTexts.close],
  ]
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${shellMessages.keys}</h2>
<dl class="facts">${all.map(([key, text]) => html`<dt><kbd class="key-name">${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<form method="dialog"><button class="button small">${shellMessages.close}</button></form></dialog>`
}
