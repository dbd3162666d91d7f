import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { desktop, phone, picture } from './browser.ts'
import {
  type Asked,
  audit,
  colorsOfTexts,
  overflowsSideways,
  type Seen,
  tornApart,
  unreachable,
  whatIsBehind,
  look as withinPage,
} from './page-faults.ts'

/** The short form, as a function: a page pays for what it does only when it is inspected. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PREPARE = `window.prepareAxe = () => {${AXE}\n}`

const COLOR_RULES = ['color-contrast', 'link-in-text-block']
/** The rules of lesser impact than serious, whose finds are not asked for. */
const LESSER_RULES = `aria-allowed-role aria-deprecated-role empty-heading empty-table-header
  focus-order-semantics form-field-multiple-labels heading-order hidden-content
  html-xml-lang-mismatch image-redundant-alt landmark-banner-is-top-level
  landmark-contentinfo-is-top-level landmark-main-is-top-level landmark-no-duplicate-banner
  landmark-no-duplicate-contentinfo landmark-no-duplicate-main landmark-one-main landmark-unique
  meta-viewport-large page-has-heading-one presentation-role-conflict region scope-attr-valid
  server-side-image-map skip-link table-duplicate-name`.split(/\s+/)

/** Colours of texts that were found to have enough contrast, by themselves: the same on every page. */
const readable = new Set<string>()
const prepared = new WeakSet<Page>()

/** All that looks at a page, as one function: each call of a page takes both sides a while. */
const LOOK = `(asked) => {
${[audit, colorsOfTexts, whatIsBehind, overflowsSideways, tornApart, unreachable].join('\n')}
return (${withinPage})(asked)
}`

/** Has axe in every page that is opened from now on: it is large to send, and then is sent once. */
export async function prepareInspection(page: Page): Promise<void> {
  if (prepared.has(page)) return
  prepared.add(page)
  await page.addInitScript(PREPARE)
}

async function lookAt(
  page: Page,
  what: Pick<Asked, 'misfits' | 'barriers' | 'off'>,
): Promise<Seen> {
  const asked: Asked = { ...what, colorRules: COLOR_RULES, known: [...readable].join('\n') }
  const look = `(${LOOK})(${JSON.stringify(asked)})`
  let seen = await page.evaluate<Seen | undefined>(look)
  if (!seen) {
    await prepareInspection(page)
    await page.evaluate(PREPARE)
    seen = await page.evaluate<Seen | undefined>(look)
  }
  if (!seen) throw new Error('axe is not in the page')
  for (const each of seen.readable) readable.add(each)
  return seen
}

/** The barriers of level serious or critical that axe-core finds in what is shown. */
export async function barriers(page: Page): Promise<string[]> {
  return (await lookAt(page, { barriers: true, off: LESSER_RULES })).barriers
}

/**
 * What is in anybody's way on a page that is open, light or dark, wide or on a phone. It is not opened
 * anew for that: no script asks for width or colours. Axe is a script, so it needs one; all its rules
 * are asked in both widths, and those about colours in both schemes.
 */
export async function faultsOf(
  page: Page,
  name: string,
  options?: BrowserContextOptions,
): Promise<string[]> {
  return (await inspection(page, name, options)).faults
}

async function inspection(
  page: Page,
  name: string,
  { javaScriptEnabled = true }: BrowserContextOptions = {},
) {
  const faults: string[] = []
  const add = (suffix: string, { misfits, barriers }: Seen) =>
    faults.push(...[...misfits, ...barriers].map((fault) => `${name}${suffix}: ${fault}`))
  const own = page.viewportSize() ?? desktop
  const other = own.width === phone.width ? desktop : phone
  const turned = other === phone ? '-phone' : '-desktop'
  const asked = { barriers: javaScriptEnabled, off: LESSER_RULES }
  await picture(page, name, { whole: true })
  const first = await lookAt(page, { ...asked, misfits: 'opened' })
  add('', first)
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture(page, `${name}-dark`, { whole: true })
  if (javaScriptEnabled) add('-dark', await lookAt(page, { barriers: true }))
  await page.setViewportSize(other)
  await picture(page, `${name}${turned}-dark`, { whole: true })
  if (javaScriptEnabled) add(`${turned}-dark`, await lookAt(page, { barriers: true }))
  await page.emulateMedia({ colorScheme: 'light' })
  await picture(page, name + turned, { whole: true })
  add(turned, await lookAt(page, { ...asked, misfits: 'turned' }))
  await page.setViewportSize(own)
  return { faults, headings: first.headings }
}

/** A page has one heading, and nothing on it is in anybody's way. */
export async function inspect(page: Page, name: string, options?: BrowserContextOptions) {
  const { faults, headings } = await inspection(page, name, options)
  expect(headings).toBe(1)
  expect(faults.join('\n')).toBe('')
}
