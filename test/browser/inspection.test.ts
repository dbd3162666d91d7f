import { test as base, expect } from 'vitest'
import { openBrowser, openWatchedPage } from '../support/browser.ts'
import { findPageProblems } from '../support/inspection.ts'

const test = base
  .extend('startBrowser', { scope: 'file' }, () => () => openBrowser({}))
  .extend('page', { scope: 'file' }, async ({ startBrowser }, { onCleanup }) => {
    const browser = await startBrowser()
    onCleanup(() => browser.close())
    return (await openWatchedPage(browser)).page
  })

/** Returns an accessible page with these additional styles and contents. */
const renderPage = (style: string, content: string) => `<!doctype html><html lang="en">
  <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
  <style>
    :root { color-scheme: light dark; --text: #222; --background: #fff }
    @media (prefers-color-scheme: dark) { :root { --text: #eee; --background: #111 } }
    body { color: var(--text); background: var(--background); font: 16px/1.5 sans-serif }
    ${style}
  </style>
  <main><h1>A page</h1><p>Some text.</p>${content}</main></html>`

const onPhone = (style: string) => `@media (max-width: 48rem) { ${style} }`
const inDarkMode = (style: string) => `@media (prefers-color-scheme: dark) { ${style} }`
const onDarkPhone = (style: string) => onPhone(inDarkMode(style))
const button = '<p><button type="button">Save</button></p>'

test('findPageProblems returns nothing for an accessible page', async ({ page }) => {
  await page.setContent(renderPage('', button))
  expect(await findPageProblems(page, 'page')).toEqual([])
})

test.for([
  ['low contrast', 'p { color: #bbb }', '', ['page: color-contrast', 'page-phone: color-contrast']],
  ['low contrast in dark mode', inDarkMode('p { color: #444 }'), '', ['page-dark: color']],
  ['low contrast on a phone', onPhone('p { color: #bbb }'), '', ['page-phone: color']],
  [
    'low contrast on a phone in dark mode',
    onDarkPhone('p { color: #333 }'),
    '',
    ['page-phone-dark: color'],
  ],
  ['low contrast of positioned text', '', '<i id="pale">Pale</i>', ['page: color-contrast']],
  [
    'low contrast if a positioned element is behind the text',
    '#behind { position: absolute; inset: 0 auto auto 0; width: 100%; height: 100%; background: #333 }' +
      '#front { position: relative; z-index: 1 }',
    '<div style="position: relative"><div id="behind"></div><p id="front">Some text.</p></div>',
    ['page: color-contrast', 'page-phone: color-contrast'],
  ],
  [
    'low contrast of text that overflows its background',
    '#light { background: #fff; width: 1px } #dark { background: #444 }' +
      '#light p { width: 20rem }',
    '<div id="dark"><div id="light"><p>Some text.</p></div></div>',
    ['page: color-contrast', 'page-phone: color-contrast'],
  ],
  ['a field without a label', '', '<input name="q">', ['page: label', 'page-phone: label']],
  [
    'a field without a label that is visible only on a phone',
    `i{display:none}${onPhone('i { display: inline }')}`,
    '<i><input></i>',
    ['page-phone: label'],
  ],
  ['sideways overflow', onPhone('p { width: 500px }'), '', ['page-phone: scrolls sideways']],
  ['a text outside of the landmarks', '', '</main><p>Some text.</p>', ['page: region']],
  [
    'two landmarks with one name',
    '',
    '<nav aria-label="Pages"></nav><nav aria-label="Pages"></nav>',
    ['page: landmark-unique'],
  ],
  [
    'two elements with one id',
    '',
    '<p id="same">One</p><p id="same">Two</p>',
    ['page: several elements have the id same', 'page-phone: several elements have the id same'],
  ],
  [
    'a covered button',
    onPhone('h1::after { content: ""; position: fixed; inset: 0 }'),
    button,
    ['page-phone: cannot be reached: <button'],
  ],
  [
    'a button that a phone does not show',
    onPhone('button { display: none }'),
    button,
    ['page-phone: no longer shows: <button'],
  ],
  [
    'a menu link that wraps within a word',
    onPhone('nav { width: 1ch; word-break: break-all }'),
    '<nav><a href="/">Links</a></nav>',
    ['page-phone: wraps within a word: Links'],
  ],
] as const)('findPageProblems detects %s', async ([, style, content, expected], { page }) => {
  await page.setContent(renderPage(`#pale { color: #888; position: absolute } ${style}`, content))
  const problems = await findPageProblems(page, 'page')
  for (const each of expected) {
    expect(problems).toContainEqual(expect.stringContaining(each))
  }
})
