import { test as base, expect } from 'vitest'
import { openBrowser, openWatchedPage } from '../support/browser.ts'
import { findPageProblems } from '../support/inspection.ts'

const test = base
  .extend('open', { scope: 'file' }, () => () => openBrowser({}))
  .extend('page', { scope: 'file' }, async ({ open }, { onCleanup }) => {
    const browser = await open()
    onCleanup(() => browser.close())
    return (await openWatchedPage(browser)).page
  })

const page = (style: string, content: string) => `<!doctype html><html lang="en">
  <meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
  <style>
    :root { color-scheme: light dark; --ink: #222; --ground: #fff }
    @media (prefers-color-scheme: dark) { :root { --ink: #eee; --ground: #111 } }
    body { color: var(--ink); background: var(--ground); font: 16px/1.5 sans-serif }
    ${style}
  </style>
  <main><h1>A page</h1><p>Some text.</p>${content}</main></html>`

const onPhone = (style: string) => `@media (max-width: 48rem) { ${style} }`
const inDark = (style: string) => `@media (prefers-color-scheme: dark) { ${style} }`
const onDarkPhone = (style: string) => onPhone(inDark(style))
const button = '<p><button type="button">Save</button></p>'

test('reports nothing for an accessible page', async ({ page: it }) => {
  await it.setContent(page('', button))
  expect(await findPageProblems(it, 'page')).toEqual([])
})

test.for([
  ['a pale text', 'p { color: #bbb }', '', ['page: color-contrast', 'page-phone: color-contrast']],
  ['a text that is pale in the dark', inDark('p { color: #444 }'), '', ['page-dark: color']],
  ['one that is pale on a phone', onPhone('p { color: #bbb }'), '', ['page-phone: color']],
  [
    'one that is pale on a phone in the dark',
    onDarkPhone('p { color: #333 }'),
    '',
    ['page-phone-dark: color'],
  ],
  ['a text without a ground of its own', '', '<i id="pale">Pale</i>', ['page: color-contrast']],
  [
    'a text before a neighbor that is placed behind it',
    '#on { position: absolute; inset: 0 auto auto 0; width: 100%; height: 100%; background: #333 }' +
      '#over { position: relative; z-index: 1 }',
    '<div style="position: relative"><div id="on"></div><p id="over">Some text.</p></div>',
    ['page: color-contrast', 'page-phone: color-contrast'],
  ],
  [
    'a text that sticks out of its ground',
    '#light { background: #fff; width: 1px } #dark { background: #444 }' +
      '#light p { width: 20rem }',
    '<div id="dark"><div id="light"><p>Some text.</p></div></div>',
    ['page: color-contrast', 'page-phone: color-contrast'],
  ],
  ['a field without a label', '', '<input name="q">', ['page: label', 'page-phone: label']],
  [
    'one on a phone alone',
    `i{display:none}${onPhone('i { display: inline }')}`,
    '<i><input></i>',
    ['page-phone: label'],
  ],
  ['what sticks out', onPhone('p { width: 500px }'), '', ['page-phone: scrolls sideways']],
  [
    'a covered button',
    onPhone('h1::after { content: ""; position: fixed; inset: 0 }'),
    button,
    ['page-phone: cannot be reached: <button'],
  ],
  [
    'a button that goes',
    onPhone('button { display: none }'),
    button,
    ['page-phone: no longer shows: <button'],
  ],
  [
    'a torn link',
    onPhone('nav { width: 1ch; word-break: break-all }'),
    '<nav><a href="/">Links</a></nav>',
    ['page-phone: wraps within a word: Links'],
  ],
] as const)('detects %s', async ([, style, content, expected], { page: it }) => {
  await it.setContent(page(`#pale { color: #888; position: absolute } ${style}`, content))
  const faults = await findPageProblems(it, 'page')
  for (const each of expected) {
    expect(faults).toContainEqual(expect.stringContaining(each))
  }
})
