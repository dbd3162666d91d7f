import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { readAnswers } from '../../src/overlays/overlay.service.ts'
import { testApp } from './app.ts'
import { openBrowser, type Watched, watchedPage } from './browser.ts'
import { openTargetSite } from './target-site.ts'

export type BrowserApp = Awaited<ReturnType<typeof browserApp>>

/**
 * Starts the application with a browser and another site as the destination of links and pixels.
 * `env` has additional settings.
 */
export async function browserApp(env: Record<string, string> = {}) {
  const site = await openTargetSite()
  const PIXELS_FILE = JSON.stringify({ vendor01pixel: `${site.origin}/beacon?tag={tag}` })
  const t = await testApp({ env, files: { PIXELS_FILE } })
  await t.listen()
  const browser = await openBrowser({
    'brev.test': t.port(),
    'brand.test': t.port(),
    'spin.test': t.port(),
    // Browsers offer passkeys there without https.
    localhost: t.port(),
  })
  const owner = await t.make.owner()
  let count = 0

  /** Creates a link to a new page on the other site. */
  async function link(input: object = {}) {
    count += 1
    return t.make.link(owner, { url: `${site.origin}/target-${count}`, ...input })
  }

  return {
    ...t,
    browser,
    site,
    owner,
    link,

    /** Runs steps in a browser that must not report any problem. */
    async walk(steps: (page: Page) => Promise<void>, options: BrowserContextOptions = {}) {
      const { page, problems }: Watched = await watchedPage(browser, options)
      await steps(page)
      expect(problems.join('\n')).toBe('')
      await page.context().close()
    },

    /** Creates pixels, and returns the paths that they request on the other site. */
    async pixels(number: number) {
      count += 1
      const tags = Array.from({ length: number }, (_, index) => `T-${count}-${index}`)
      const created = await Promise.all(tags.map((tag) => t.make.pixel(owner, { tag })))
      return {
        pixels: created.map(({ id }) => id),
        beacons: tags.map((tag) => `/beacon?tag=${tag}`),
      }
    },

    /** Creates a link with a new overlay. */
    async withOverlay(input: object, more: object = {}) {
      const { id } = await t.make.overlay(owner, input)
      return { ...(await link({ type: `overlay-${id}`, ...more })), id }
    },

    async answersTo(id: number): Promise<Record<string, string>[]> {
      const answers = await Array.fromAsync(readAnswers(t.services.db, owner.account.id, id))
      return answers.map(({ answer }) => answer)
    },

    async close(): Promise<void> {
      await browser.close()
      await site.close()
      await t.close()
    },
  }
}
