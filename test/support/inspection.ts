import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { desktop, phone, picture } from './browser.ts'
import { audit, colorsOfTexts, overflowsSideways, tornApart, unreachable } from './page-faults.ts'

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

/** Has axe in every page that is opened from now on: it is large to send, and then is sent once. */
export async function prepareInspection(page: Page): Promise<void> {
  if (prepared.has(page)) return
  prepared.add(page)
  await page.addInitScript(PREPARE)
}

async function find(page: Page, asked: Omit<Parameters<typeof audit>[0], 'off'>, off: string[]) {
  if (!(await page.evaluate(() => 'prepareAxe' in window))) {
    await prepareInspection(page)
    await page.evaluate(PREPARE)
  }
  return page.evaluate(audit, { ...asked, off })
}

/** The barriers of level serious or critical that axe-core finds in what is shown. */
export async function barriers(page: Page): Promise<string[]> {
  const found = await find(page, {}, LESSER_RULES)
  const { colors } = await page.evaluate(colorsOfTexts, [])
  if (found.length === 0) for (const each of colors) readable.add(each)
  return found
}

/** The texts that cannot be read well, when only the colours are others than before. */
async function paleTexts(page: Page): Promise<string[]> {
  const { colors, rest } = await page.evaluate(colorsOfTexts, [...readable])
  const found = rest ? await find(page, { only: COLOR_RULES, ofTexts: true }, []) : []
  if (found.length === 0) for (const each of colors) readable.add(each)
  return found
}

/** What is in anybody's way in the width that the page has now. */
async function misfits(page: Page, isTurned: boolean): Promise<string[]> {
  const found = await page.evaluate(tornApart)
  if (await page.evaluate(overflowsSideways)) found.push('scrolls sideways')
  return [...found, ...(await page.evaluate(unreachable, isTurned))]
}

/**
 * What is in anybody's way on a page that is open, light or dark, wide or on a phone. It is not opened
 * anew for that: no script asks for width or colours. Axe is a script, so it needs one; all its rules
 * are asked in both widths, and those about colours in both schemes.
 */
export async function faultsOf(
  page: Page,
  name: string,
  { javaScriptEnabled = true }: BrowserContextOptions = {},
): Promise<string[]> {
  const faults: string[] = []
  const add = (look: string, found: readonly string[]) =>
    faults.push(...found.map((fault) => `${name}${look}: ${fault}`))
  const own = page.viewportSize() ?? desktop
  const other = own.width === phone.width ? desktop : phone
  await picture(page, name, { whole: true })
  add('', await misfits(page, false))
  if (javaScriptEnabled) add('', await barriers(page))
  await page.emulateMedia({ colorScheme: 'dark' })
  await picture(page, `${name}-dark`, { whole: true })
  if (javaScriptEnabled) add('-dark', await paleTexts(page))
  await page.setViewportSize(other)
  const turned = other === phone ? '-phone' : '-desktop'
  await picture(page, `${name}${turned}-dark`, { whole: true })
  if (javaScriptEnabled) add(`${turned}-dark`, await paleTexts(page))
  await page.emulateMedia({ colorScheme: 'light' })
  await picture(page, name + turned, { whole: true })
  add(turned, await misfits(page, true))
  if (javaScriptEnabled) {
    add(turned, await find(page, {}, [...LESSER_RULES, ...COLOR_RULES]))
    add(turned, await paleTexts(page))
  }
  await page.setViewportSize(own)
  return faults
}

/** A page has one heading, and nothing on it is in anybody's way. */
export async function inspect(page: Page, name: string, options?: BrowserContextOptions) {
  expect(await page.locator('main h1').count()).toBe(1)
  expect((await faultsOf(page, name, options)).join('\n')).toBe('')
}
