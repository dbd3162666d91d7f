import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { desktop, phone, saveScreenshot } from './browser.ts'
import {
  findBrokenLabels,
  findRepeatedIds,
  findSidewaysOverflow,
  findUnreachableControls,
} from './layout-problems.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The rules whose result depends on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * DevTools sessions by page. They are kept open, because closing one removes the virtual
 * authenticators of others.
 */
const sessions = new WeakMap<Page, CDPSession>()

/** Returns axe's accessibility violations. */
export async function findAccessibilityViolations(
  page: Page,
  options: RunOptions = {},
): Promise<string[]> {
  // Playwright's own `evaluate` would compile axe again for each page.
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
  const problems: AxeResults = await evaluate(`axe.run(${run})`)
  return problems.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  )
}

/** Returns layout problems at the current width. `isResized` means that the page had another width. */
async function findLayoutProblems(page: Page, isResized: boolean): Promise<string[]> {
  return [
    ...(await page.evaluate(findRepeatedIds)),
    ...(await page.evaluate(findBrokenLabels)),
    ...(await page.evaluate(findSidewaysOverflow)),
    ...(await page.evaluate(findUnreachableControls, isResized)),
  ]
}

type Setting = { isOtherWidth: boolean; colorScheme: 'light' | 'dark' }

/**
 * Returns the accessibility and layout problems of an open page in light and dark mode, on desktop
 * and phone. It does not reload the page, because no script depends on width or colors. axe needs
 * scripts, so pages without scripts are checked only for layout problems.
 */
export function findPageProblems(page: Page, name: string, options: BrowserContextOptions = {}) {
  return findProblems(page, name, options, [
    { isOtherWidth: false, colorScheme: 'light' },
    { isOtherWidth: false, colorScheme: 'dark' },
    { isOtherWidth: true, colorScheme: 'light' },
    { isOtherWidth: true, colorScheme: 'dark' },
  ])
}

/**
 * Expects one main heading, and no problems in light mode or, at the other width, in dark mode.
 * test/browser/every-page.test.ts inspects every page in all four combinations.
 */
export async function inspect(page: Page, name: string, options: BrowserContextOptions = {}) {
  expect(await page.locator('main h1').count()).toBe(1)
  const allProblems = await findProblems(page, name, options, [
    { isOtherWidth: false, colorScheme: 'light' },
    { isOtherWidth: true, colorScheme: 'dark' },
  ])
  expect(allProblems.join('\n')).toBe('')
}

async function findProblems(
  page: Page,
  name: string,
  { javaScriptEnabled = true }: BrowserContextOptions,
  settings: readonly Setting[],
): Promise<string[]> {
  const allProblems: string[] = []
  const measured = new Set<boolean>()
  const viewport = page.viewportSize() ?? desktop
  const otherViewport = viewport.width === phone.width ? desktop : phone
  for (const { isOtherWidth, colorScheme } of settings) {
    const widthSuffix = !isOtherWidth ? '' : otherViewport === phone ? '-phone' : '-desktop'
    const screenshotName = `${name}${widthSuffix}${colorScheme === 'dark' ? '-dark' : ''}`
    await page.setViewportSize(isOtherWidth ? otherViewport : viewport)
    await page.emulateMedia({ colorScheme })
    await saveScreenshot(page, screenshotName, { fullPage: true })
    const isNew = !measured.has(isOtherWidth)
    measured.add(isOtherWidth)
    const problems = isNew ? await findLayoutProblems(page, isOtherWidth) : []
    if (javaScriptEnabled) {
      problems.push(
        ...(await findAccessibilityViolations(page, isNew ? {} : { runOnly: COLOR_RULES })),
      )
    }
    allProblems.push(...problems.map((problem) => `${screenshotName}: ${problem}`))
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(viewport)
  return allProblems
}
