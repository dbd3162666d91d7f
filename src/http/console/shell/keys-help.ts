import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/** A keyboard shortcut: the key and its description. */
export type Key = readonly [key: string, text: string]

/** Renders the dialog with the shortcuts of all pages and those in `keys`. `keys.js` opens it. */
export function renderKeysHelp(keys: readonly Key[]): SafeHtml {
  const all: readonly Key[] = [
    [t('shell.searchKeys'), t('shell.keyTexts.search')],
    ['C', t('shell.keyTexts.create')],
    ...keys,
    ['?', t('shell.keyTexts.help')],
    ['Esc', t('shell.keyTexts.close')],
  ]
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">${t('shell.keys')}</h2>
<dl class="facts">${all.map(([key, text]) => html`<dt><kbd class="key-name">${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<form method="dialog"><button class="button small">${t('shell.close')}</button></form></dialog>`
}
