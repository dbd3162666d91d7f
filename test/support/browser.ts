import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { childEnvironment } from '../../src/config.ts'
import type { Chromium } from './chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where there is none, the browser tests are left out. */
    chromium?: Chromium
  }
}

const { SCREENSHOTS } = childEnvironment({})
const isPictured = SCREENSHOTS === '1'
/** The short form: every page that is inspected is sent the whole of it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FOLDER = fileURLToPath(new URL('../../screenshots/', import.meta.url))

export const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

export type Watched = {
  page: Page
  /** What a visitor's browser complained about: errors, policy violations, dialogs, strange requests. */
  problems: string[]
}

/**
 * A Chromium in which `hosts` lead to ports of this machine: the pages see the real host names and
 * default ports.
 */
export async function openBrowser(hosts: Readonly<Record<string, number>>): Promise<Browser> {
  const found = inject('chromium')
  if (!found) throw new Error('a test that needs a browser belongs to the browser tests')
  if (isPictured) await mkdir(FOLDER, { recursive: true })
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`)
  return chromium.launch({
    executablePath: found.executablePath,
    env: childEnvironment(found.env),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=${rules.join(',')}`,
    ],
  })
}

/** A page in a context of its own, whose complaints are written down. Close its context in the end. */
export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: desktop, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && !/refused to|content security/i.test(message.text())) return
    // A page that is sent with 404 or 410 on purpose is still a page.
    const isPageItself = message.location().url === page.url()
    if (isPageItself && message.text().startsWith('Failed to load resource')) return
    problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    const known = /^(127\.0\.0\.1|[a-z]+\.test)$/.test(hostname) || protocol === 'data:'
    if (!known) problems.push(`request: ${request.url()}`)
  })
  return { page, problems }
}

/** The barriers of level serious or critical that axe-core finds in what is shown. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    return (await axe.run(document, { iframes: false, resultTypes: ['violations'] })).violations
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}

/** Whether something sticks out to the right, so that a phone would scroll sideways. */
export async function overflows(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
}

/** With `SCREENSHOTS=1`, keeps a picture of what is shown, for people to look at. */
export async function picture(page: Page, name: string, { whole = false } = {}): Promise<void> {
  if (!isPictured) return
  await page.screenshot({ path: `${FOLDER}${name}.png`, fullPage: whole })
}

/** Nothing on the page is in anybody's way. Axe is a script, so it needs one. */
export async function inspect(
  page: Page,
  name: string,
  { javaScriptEnabled }: BrowserContextOptions,
) {
  expect(await page.locator('main h1').count()).toBe(1)
  await picture(page, name, { whole: true })
  expect([name, await overflows(page)]).toEqual([name, false])
  if (javaScriptEnabled !== false) expect([name, await barriers(page)]).toEqual([name, []])
}
