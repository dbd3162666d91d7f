import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Lookup } from '../../src/net/checked-connector.ts'
import { readAnswers } from '../../src/resources/overlay-answers.ts'
import { testApp } from './app.ts'
import { openBrowser, openWatchedPage, type WatchedPage } from './browser.ts'
import { openTargetSite } from './target-site.ts'

export type BrowserApp = Awaited<ReturnType<typeof openBrowserApp>>

/**
 * Starts the application, a browser, and another site as the destination of links and pixels.
 * `env` has additional settings. `lookup` resolves host names.
 */
export async function openBrowserApp(env: Record<string, string> = {}, lookup?: Lookup) {
  const site = await openTargetSite()
  const PIXELS_FILE = JSON.stringify({ vendor01pixel: `${site.origin}/pixel?tag={tag}` })
  const app = await testApp({ env, files: { PIXELS_FILE }, ...(lookup && { lookup }) })
  await app.listen()
  const browser = await openBrowser({
    'brev.test': app.port(),
    'brand.test': app.port(),
    'spin.test': app.port(),
    // Browsers offer passkeys on localhost without https.
    localhost: app.port(),
  })
  const owner = await app.make.owner()
  let count = 0

  /** Creates a link to a new page on the other site. */
  async function link(input: object = {}) {
    count += 1
    return app.make.link(owner, { url: `${site.origin}/target-${count}`, ...input })
  }

  return {
    ...app,
    browser,
    site,
    owner,
    link,

    /** Runs `steps` with a new page, and expects that the browser reports no problems. */
    async walk(steps: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) {
      const { page, problems }: WatchedPage = await openWatchedPage(browser, options)
      await steps(page)
      expect(problems.join('\n')).toBe('')
      await page.context().close()
    },

    /** Creates pixels. Returns their ids, and the paths that they request on the other site. */
    async makePixels(pixelCount: number) {
      count += 1
      const tags = Array.from({ length: pixelCount }, (_, index) => `T-${count}-${index}`)
      const created = await Promise.all(tags.map((tag) => app.make.pixel(owner, { tag })))
      return {
        ids: created.map(({ id }) => id),
        paths: tags.map((tag) => `/pixel?tag=${tag}`),
      }
    },

    /** Creates an overlay and a link with it. The returned `id` is the overlay's. */
    async makeLinkWithOverlay(input: object, linkInput: object = {}) {
      const { id } = await app.make.overlay(owner, input)
      return { ...(await link({ type: `overlay-${id}`, ...linkInput })), id }
    },

    /** Returns the answers of visitors to an overlay. */
    async getAnswers(id: number): Promise<Record<string, string>[]> {
      const answers = await Array.fromAsync(
        readAnswers({ ...app.services, accountId: owner.account.id }, id),
      )
      return answers.map(({ answer }) => answer)
    },

    async close(): Promise<void> {
      await browser.close()
      await site.close()
      await app.close()
    },
  }
}
