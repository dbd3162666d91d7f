import { expect } from 'vitest'
import { desktop } from '../support/browser.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'brevis@brev.test' })

test.for(browserSetups)(
  '%s: a user subscribes to reports on a link and a campaign, and ends one',
  async ([setupName, options], { app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const metaTitle = `Spring sale ${'long '.repeat(30)}`
      const link = await app.make.link(owner, { metaTitle })
      const campaign = await app.make.campaign(owner, { name: 'Ads' })
      for (const path of [`/console/links/${link.id}`, `/console/campaigns/${campaign.id}`]) {
        await page.goto(`${app.baseUrl}${path}?period=7d`)
        await page.getByText('Email report', { exact: true }).click()
        const box = await page.locator('.menu[open] .menu-panel').boundingBox()
        expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(desktop.width)
        await page.getByLabel('Frequency').selectOption('weekly')
        await inspect(page, `report-menu-${setupName}`, options)
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Email report: on').waitFor()
        expect(page.url()).toContain('period=7d')
      }
      await page.goto(`${app.baseUrl}/console/settings`)
      await inspect(page, `report-settings-${setupName}`, options)
      await page.getByRole('button', { name: 'End report Ads' }).click()
      await page.getByText('Report ended').waitFor()
      expect(await page.getByRole('link', { name: 'Ads' }).count()).toBe(0)
      await page.getByRole('link', { name: metaTitle.trim() }).click()
      await page.getByText('Email report: on').waitFor()
    }, options)
  },
)
