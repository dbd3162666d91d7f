import { createKey } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { BrowserApp } from '../support/browser-app.ts'
import { browserSetups, browserTest, LONG_WORD, openNavigation } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { inspect } from '../support/inspection.ts'
import type { Owner } from '../support/make.ts'

const test = browserTest()

/** Creates an account whose username, email address and API key have long names. */
async function createOwnerWithLongNames(app: BrowserApp, setupName: string): Promise<Owner> {
  const username = `${setupName.replaceAll(' ', '-')}-${'n'.repeat(32)}`.slice(0, 32)
  const email = `${setupName.replaceAll(' ', '.')}@${'long-'.repeat(30)}.example.net`
  const owner = await app.make.owner({ username, email })
  await createKey(scopeOf(app.services, owner.account.id), {
    name: LONG_WORD.slice(0, 50),
  })
  return owner
}

test.for(browserSetups)(
  '%s: an admin finds an account, suspends it, resumes it and deletes it',
  async ([setupName, options], { app, signInPage }) => {
    await app.walk(async (page) => {
      await signInPage(page, app.owner)
      const { account } = await createOwnerWithLongNames(app, setupName)
      await page.goto(`${app.baseUrl}/console`)
      await openNavigation(page)
      await page.getByRole('link', { name: 'Admin' }).click()
      await page.waitForURL('**/operator/accounts')
      await inspect(page, `operator-accounts-${setupName}`, options)
      await page.getByLabel('Search').fill('no such account')
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('heading', { name: 'No matches' }).waitFor()
      await inspect(page, `operator-accounts-none-${setupName}`, options)
      await page.getByLabel('Search').fill(account.username.toUpperCase())
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('link', { name: account.username }).click()
      await page.getByLabel('Reason').fill(`Spam ${LONG_WORD}`)
      await page.getByRole('button', { name: 'Suspend account' }).click()
      await page.waitForURL('**/*?done=suspended')
      await inspect(page, `operator-account-${setupName}`, options)
      await page.getByRole('button', { name: 'Resume account' }).click()
      await page.waitForURL('**/*?done=resumed')
      await page.getByText('Delete account …').click()
      await page.getByLabel('Username').fill('someone else')
      await page.getByLabel('Password to confirm').fill(PASSWORD)
      await page.getByRole('button', { name: 'Delete account', exact: true }).click()
      await page.waitForSelector('#username-error')
      await inspect(page, `operator-account-refused-${setupName}`, options)
      await page.getByLabel('Username').fill(account.username)
      await page.getByLabel('Password to confirm').fill(PASSWORD)
      await page.getByRole('button', { name: 'Delete account', exact: true }).click()
      await page.waitForURL('**/accounts?done=deleted')
      await page.getByRole('link', { name: 'Log', exact: true }).click()
      await page.getByText(`deleted account ${account.username}`).waitFor()
      await inspect(page, `admin-log-${setupName}`, options)
    }, options)
  },
)

test.for(browserSetups)(
  '%s: an admin looks up a link, disables it and enables it',
  async ([setupName, options], { app, signInPage }) => {
    await app.walk(async (page) => {
      await signInPage(page, app.owner)
      const { shortUrl } = await app.make.link(
        await createOwnerWithLongNames(app, `link ${setupName}`),
        {
          url: `https://example.com/${LONG_WORD}`,
        },
      )
      await page.goto(`${app.baseUrl}/console/operator/links`)
      await page.getByLabel('Short link or alias').fill('https://nowhere.example/x')
      await page.getByRole('button', { name: 'Look up' }).click()
      await page.waitForSelector('#url-error')
      await inspect(page, `operator-links-none-${setupName}`, options)
      await page.getByLabel('Short link or alias').fill(shortUrl)
      await page.getByRole('button', { name: 'Look up' }).click()
      await page.getByLabel('Reason').fill('Phishing')
      await inspect(page, `operator-links-found-${setupName}`, options)
      await page.getByRole('button', { name: 'Disable link' }).click()
      await page.waitForURL('**/*done=disabled')
      await inspect(page, `operator-links-disabled-${setupName}`, options)
      await page.getByRole('button', { name: 'Enable link' }).click()
      await page.waitForURL('**/*done=enabled')
    }, options)
  },
)

test.for(browserSetups)(
  '%s: the health page shows current numbers',
  async ([setupName, options], { app, signInPage }) => {
    await app.walk(async (page) => {
      await signInPage(page, app.owner)
      // With scripts, the page reloads its numbers regularly.
      await page.clock.install()
      await page.goto(`${app.baseUrl}/console/operator/health`)
      await inspect(page, `operator-health-${setupName}`, options)
      const recordedClicks = page.locator('dt:has-text("Recorded since start") + dd')
      const before = Number(await recordedClicks.textContent())
      await app.request({ url: `/${(await app.make.link(app.owner)).alias}` })
      if (options.javaScriptEnabled === false) await page.reload()
      else await page.clock.runFor(20_000)
      await page.waitForSelector(`dd:text-is("${before + 1}")`)
    }, options)
  },
)
