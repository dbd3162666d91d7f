import { expect } from 'vitest'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

test.for(browserSetups)(
  '%s: a user selects a time zone',
  async ([setupName, options], { app, signInPage }) => {
    const owner = await app.make.owner()
    await app.walk(async (page) => {
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/settings`)
      await inspect(page, `settings-${setupName}`, options)
      await page.getByLabel('Time zone').fill('Nowhere')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForSelector('#timeZone-error')
      await inspect(page, `settings-wrong-${setupName}`, options)
      await page.getByLabel('Time zone').fill('America/New_York')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForSelector('main >> text=Times are in America/New York', {
        state: 'attached',
      })
      expect(await page.getByLabel('Time zone').inputValue()).toBe('America/New_York')
    }, options)
  },
)

test('registration stores the time zone of the browser, and the settings suggest it', async ({
  app,
}) => {
  const options = { timezoneId: 'Asia/Tokyo' }
  await app.walk(async (page) => {
    await page.goto(`${app.baseUrl}/register`)
    await page.getByLabel('Email').fill('tokyo@example.com')
    await page.getByLabel('Username').fill('tokyo')
    await page.getByLabel('Password').fill('a good password')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForSelector('main >> text=Times are in Asia/Tokyo', { state: 'attached' })
    await page.goto(`${app.baseUrl}/console/settings`)
    await page.getByLabel('Time zone').fill('UTC')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Use this browser’s time zone: Asia/Tokyo' }).click()
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo')
  }, options)
})

test('pages with times name their time zone, and lists without times do not', async ({
  app,
  signInPage,
}) => {
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    const link = await app.make.link(owner)
    await app.make.campaign(owner)
    await app.make.qr(owner)
    for (const [path, isShown] of [
      ['/console/codes', true],
      ['/console/keys', true],
      [`/console/links/${link.id}`, true],
      ['/console/campaigns', false],
    ] as const) {
      await page.goto(app.baseUrl + path)
      const note = page.locator('.time-zone')
      expect([path, await note.isVisible()]).toEqual([path, isShown])
    }
  })
})
