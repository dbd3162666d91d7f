import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { desktop, phone, picture } from './browser.ts'
import { overflowsSideways, unreachableControls, wrappedMenuLinks } from './layout-faults.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The rules whose result depends on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']
const IMPACTS = ['serious', 'critical']
/** The rules for problems of less impact, which take a tenth of the time. */
const MINOR_RULES = `Object.fromEntries(axe._audit.rules
  .filter(({ impact }) => !${JSON.stringify(IMPACTS)}.includes(impact))
  .map(({ id }) => [id, { enabled: false }]))`

/** Kept open, because detaching one ends the virtual authenticator of another. */
const sessions = new WeakMap<Page, CDPSession>()

/** Returns axe's serious and critical accessibility violations. */
export async function accessibilityViolations(
  page: Page,
  options: RunOptions = {},
): Promise<string[]> {
  // Without Playwright's own evaluation, which compiles axe again for each page.
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  const evaluate = async (expression: string) => {
    const request = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', request)
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }
  if (!(await evaluate('"axe" in window'))) await evaluate(`${AXE};0`)
  const run = JSON.stringify({ iframes: false, resultTypes: ['violations'], ...options })
  const found: AxeResults = await evaluate(`axe.run({ ...${run}, rules: ${MINOR_RULES} })`)
  return found.violations
    .filter(({ impact }) => IMPACTS.includes(impact ?? ''))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

/** Returns layout problems in the current width. `isResized` if it is not the initial width. */
async function layoutProblems(page: Page, isResized: boolean): Promise<string[]> {
  return [
    ...(await page.evaluate(wrappedMenuLinks)),
    ...(await page.evaluate(overflowsSideways)),
    ...(await page.evaluate(unreachableControls, isResized)),
  ]
}

type Look = { isOther: boolean; colorScheme: 'light' | 'dark' }

/**
 * Returns the problems of an open page in light and dark mode, wide and on a phone, without
 * reloading it: no script depends on width or colors. axe needs scripts, so pages without scripts
 * are only measured.
 */
export function pageProblems(page: Page, name: string, options: BrowserContextOptions = {}) {
  return problemsIn(page, name, options, [
    { isOther: false, colorScheme: 'light' },
    { isOther: false, colorScheme: 'dark' },
    { isOther: true, colorScheme: 'light' },
    { isOther: true, colorScheme: 'dark' },
  ])
}

/**
 * Expects one main heading and no problems in light mode, and in dark mode in the other width. Every
 * page has been inspected in all four by test/browser/every-page.test.ts.
 */
export async function inspect(page: Page, name: string, options: BrowserContextOptions = {}) {
  expect(await page.locator('main h1').count()).toBe(1)
  const faults = await problemsIn(page, name, options, [
    { isOther: false, colorScheme: 'light' },
    { isOther: true, colorScheme: 'dark' },
  ])
  expect(faults.join('\n')).toBe('')
}

async function problemsIn(
  page: Page,
  name: string,
  { javaScriptEnabled = true }: BrowserContextOptions,
  looks: readonly Look[],
): Promise<string[]> {
  const faults: string[] = []
  const measured = new Set<boolean>()
  const viewport = page.viewportSize() ?? desktop
  const other = viewport.width === phone.width ? desktop : phone
  for (const { isOther, colorScheme } of looks) {
    const width = !isOther ? '' : other === phone ? '-phone' : '-desktop'
    const screenshotName = `${name}${width}${colorScheme === 'dark' ? '-dark' : ''}`
    await page.setViewportSize(isOther ? other : viewport)
    await page.emulateMedia({ colorScheme })
    await picture(page, screenshotName, { fullPage: true })
    const isNew = !measured.has(isOther)
    measured.add(isOther)
    const found = isNew ? await layoutProblems(page, isOther) : []
    if (javaScriptEnabled) {
      found.push(...(await accessibilityViolations(page, isNew ? {} : { runOnly: COLOR_RULES })))
    }
    faults.push(...found.map((fault) => `${screenshotName}: ${fault}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(viewport)
  return faults
}
