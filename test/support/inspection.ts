import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { desktop, phone, picture } from './browser.ts'
import { overflowsSideways, unreachableControls, wrappedMenuLinks } from './layout-faults.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The rules whose result depends on the color scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Returns axe's serious and critical accessibility violations. */
export async function accessibilityViolations(
  page: Page,
  options: RunOptions = {},
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const run = { iframes: false, resultTypes: ['violations'], ...options }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(run)})`)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
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

/**
 * Returns the problems of an open page in light and dark mode, wide and on a phone, without
 * reloading it: no script depends on width or colors. axe needs scripts, so pages without scripts
 * are only measured.
 */
export async function pageProblems(
  page: Page,
  name: string,
  { javaScriptEnabled = true }: BrowserContextOptions = {},
): Promise<string[]> {
  const faults: string[] = []
  const viewport = page.viewportSize() ?? desktop
  const other = viewport.width === phone.width ? desktop : phone
  for (const size of [viewport, other]) {
    const isResized = size === other
    const width = !isResized ? '' : size === phone ? '-phone' : '-desktop'
    await page.setViewportSize(size)
    for (const colorScheme of ['light', 'dark'] as const) {
      const screenshotName = `${name}${width}${colorScheme === 'dark' ? '-dark' : ''}`
      await page.emulateMedia({ colorScheme })
      await picture(page, screenshotName, { fullPage: true })
      const isDark = colorScheme === 'dark'
      const found = isDark ? [] : await layoutProblems(page, isResized)
      if (javaScriptEnabled) {
        found.push(...(await accessibilityViolations(page, isDark ? { runOnly: COLOR_RULES } : {})))
      }
      faults.push(...found.map((fault) => `${screenshotName}: ${fault}`))
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(viewport)
  return faults
}

/** Expects one main heading and no problems. */
export async function inspect(page: Page, name: string, options?: BrowserContextOptions) {
  expect(await page.locator('main h1').count()).toBe(1)
  expect((await pageProblems(page, name, options)).join('\n')).toBe('')
}
