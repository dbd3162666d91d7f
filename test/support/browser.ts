import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import type { Chromium } from './chromium.ts'
import { scratchFolder } from './scratch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser for tests. Without one, browser tests are skipped. */
    chromium?: Chromium
  }
}

const { SCREENSHOTS } = createChildEnvironment({})
const savesScreenshots = SCREENSHOTS === '1'
const FOLDER = fileURLToPath(new URL('../../screenshots/', import.meta.url))

export const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

export type WatchedPage = {
  page: Page
  /** Problems reported by the browser: errors, policy violations, dialogs, unexpected requests. */
  problems: string[]
}

/**
 * Starts Chromium with `hosts` mapped to local ports, so that pages see real host names and default
 * ports. Trusts certificates whose chain contains a public key with the hash `trustedKey`.
 */
export async function openBrowser(
  hosts: Readonly<Record<string, number>>,
  { trustedKey }: { trustedKey?: string } = {},
): Promise<Browser> {
  const available = inject('chromium')
  if (!available)
    throw new Error('no Chromium: a test that needs a browser belongs in test/browser')
  if (savesScreenshots) await mkdir(FOLDER, { recursive: true })
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`)
  return chromium.launch({
    executablePath: available.executablePath,
    // Chromium's processes share files in the temporary folder. Its pages do not load with faketime.
    env: createChildEnvironment({ ...available.env, TMPDIR: scratchFolder(), LD_PRELOAD: '' }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--in-process-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Pages are too short-lived to gain from optimizing compilers. Most close before they fill this
      // many MiB, so that the garbage collector does not run.
      '--js-flags=--no-maglev --no-turbofan --min-semi-space-size=16',
      `--host-resolver-rules=${rules.join(',')}`,
      ...(trustedKey ? [`--ignore-certificate-errors-spki-list=${trustedKey}`] : []),
    ],
  })
}

/** Opens a page in a new context and records its problems. Close the context at the end. */
export async function openWatchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: desktop, ...options })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'error' && !/refused to|content security/i.test(message.text())) return
    // A page sent with 404 or 410 on purpose is not a problem.
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
    const isExpected =
      /^(127\.0\.0\.1|localhost|[a-z]+\.test)$/.test(hostname) || protocol === 'data:'
    if (!isExpected) problems.push(`request: ${request.url()}`)
  })
  return { page, problems }
}

/** With `SCREENSHOTS=1`, saves a screenshot for inspection by people. */
export async function saveScreenshot(
  page: Page,
  name: string,
  { fullPage = false } = {},
): Promise<void> {
  if (!savesScreenshots) return
  await page.screenshot({ path: `${FOLDER}${name}.png`, fullPage })
}
