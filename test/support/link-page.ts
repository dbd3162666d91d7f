import type { Page } from 'playwright-core'
import type { TestApp } from './app.ts'
import { signedIn } from './console.ts'
import { newOwnerTest } from './test.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

/**
 * Returns a `test` for link pages: `person` is signed in as `owner`, a new account per test.
 * `otherOwner` is an unrelated account.
 */
export function linkPageTest() {
  return newOwnerTest()
    .extend('otherOwner', ({ make }) => make.owner())
    .extend('person', ({ app, owner }) => signedIn(app, owner))
}

/** Visits a link `count` times, each time from another IP address. */
export async function visitTimes(app: TestApp, alias: string, count: number, headers: object = {}) {
  for (let number = 1; number <= count; number += 1) {
    await app.request({
      url: `/${alias}`,
      remoteAddress: `198.51.${Math.floor(number / 250)}.${number % 250}`,
      headers: { 'user-agent': FIREFOX, ...headers },
    })
  }
}

/**
 * Returns the figures above the chart as text: clicks, new visitors, repeat clicks and the new
 * visitor rate.
 */
export const readFigures = (body: string) =>
  [...body.matchAll(/<strong class="figure">([^<]*)</g)].map(([, text]) => text)

/** Returns the HTML of a list of labels, such as `sources-referrers`. */
export const readList = (body: string, name: string) =>
  new RegExp(`<div id="${name}"[^>]*>[\\s\\S]*?</table>`).exec(body)?.[0] ?? ''

export const sum = (values: readonly number[] = []) => values.reduce((all, value) => all + value, 0)

/** Opens a menu above statistics and clicks a link in it. */
export async function selectFromMenu(page: Page, menu: string, link: string): Promise<void> {
  await page.locator('.menu summary', { hasText: `${menu}: ` }).click()
  await page.locator('.menu-panel').getByRole('link', { name: link }).click()
}
