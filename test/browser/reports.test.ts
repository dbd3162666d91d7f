import { expect } from 'vitest'
import { deleteLink } from '../../src/links/link.service.ts'
import { addReport } from '../../src/reports/report.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

test.for(browserSetups)(
  '%s: a visitor reports a link, and an admin blocks its host',
  async ([setupName, options], { app, signInPage }) => {
    const otherOwner = await app.make.owner({
      username: `stranger-${setupName.replaceAll(' ', '-')}`,
    })
    const url = `https://${setupName.replaceAll(' ', '-')}.example/${LONG_WORD.repeat(4)}`
    const { id, alias } = await app.make.link(otherOwner, { url, type: 'splash' })
    await app.walk(async (page) => {
      await page.goto(`${app.baseUrl}/${alias}`)
      await inspect(page, `report-splash-${setupName}`, options)
      await page.goto(`${app.baseUrl}/${alias}+`)
      await inspect(page, `report-preview-${setupName}`, options)
      await page.getByRole('link', { name: 'Report this link' }).click()
      await page.waitForURL('**/*+report')
      await page.getByRole('radio', { name: 'Phishing' }).check()
      await page.getByLabel('Details (optional)').fill(`It asks for my password. ${LONG_WORD}`)
      await inspect(page, `report-form-${setupName}`, options)
      await page.getByRole('button', { name: 'Send report' }).click()
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
      await inspect(page, `report-sent-${setupName}`, options)
    }, options)
    for (const [index, reason] of ['malware', 'other', 'phishing'].entries()) {
      await addReport(app.services, app.services.db, id, `203.0.113.${index + 50}`, {
        reason,
        text: '<b>\u202eevil',
      })
    }
    await app.walk(async (page) => {
      await signInPage(page, app.owner)
      await page.goto(`${app.baseUrl}/console/operator/reports`)
      const report = page.getByRole('region', { name: `brev.test/${alias}` })
      await report.getByText('Comments').click()
      await inspect(page, `operator-reports-${setupName}`, options)
      await report.getByRole('button', { name: 'Block its host' }).click()
      await page.waitForURL('**/reports?done=block')
      await page.getByText('Host blocked.').waitFor()
      await inspect(page, `operator-reports-none-${setupName}`, options)
      await page.getByRole('link', { name: 'Resolved' }).click()
      await page.getByRole('heading', { name: `brev.test/${alias}` }).waitFor()
      await inspect(page, `operator-reports-settled-${setupName}`, options)
      await page.goto(`${app.baseUrl}/${alias}`)
      await page.getByRole('heading', { name: 'This link is blocked' }).waitFor()
      await inspect(page, `blocked-${setupName}`, options)
    }, options)
  },
)

test.for(browserSetups)(
  '%s: an admin confirms the hold of a deleted reported link and releases it later',
  async ([setupName, options], { app, signInPage }) => {
    const otherOwner = await app.make.owner({ username: `gone-${setupName.replaceAll(' ', '-')}` })
    const url = `https://${LONG_WORD.slice(0, 60)}.example/${LONG_WORD.repeat(4)}`
    const { id, alias } = await app.make.link(otherOwner, {
      url,
      alias: `größe-${setupName.length}`,
    })
    await addReport(app.services, app.services.db, id, '203.0.113.70', {
      reason: 'phishing',
      text: LONG_WORD,
    })
    await deleteLink(scopeOf(app.services, otherOwner.account.id), id)
    await app.walk(async (page) => {
      await signInPage(page, app.owner)
      await page.goto(`${app.baseUrl}/console/operator`)
      await page.getByRole('link', { name: 'Held links' }).click()
      const heldLink = page.getByRole('region', { name: `brev.test/${alias}` })
      await heldLink.getByText('Comments').click()
      await inspect(page, `operator-held-${setupName}`, options)
      await heldLink.getByRole('button', { name: 'Confirm hold' }).click()
      await page.waitForURL('**/held?done=confirm')
      await page.getByRole('link', { name: 'Confirmed' }).click()
      await inspect(page, `operator-held-confirmed-${setupName}`, options)
      await heldLink.getByRole('button', { name: 'Release' }).click()
      await page.waitForURL('**/held?done=release')
      await page.getByText('No open holds').waitFor()
      await inspect(page, `operator-held-none-${setupName}`, options)
    }, options)
  },
)

test.for(browserSetups)(
  '%s: an admin counts the links to a host, blocks it and unblocks it',
  async ([setupName, options], { app, signInPage }) => {
    const host = `${setupName.replaceAll(' ', '-')}.${'long-'.repeat(11)}name.example`
    await app.make.link(app.owner, { url: `https://www.${host}/` })
    await app.walk(async (page) => {
      await signInPage(page, app.owner)
      await page.goto(`${app.baseUrl}/console/operator/hosts`)
      await page.getByRole('main').getByRole('link', { name: 'Block a host' }).first().click()
      await page.getByLabel('Host', { exact: true }).fill('no host')
      await page.getByRole('button', { name: 'Block' }).click()
      await page.waitForSelector('#host-error')
      await inspect(page, `operator-hosts-wrong-${setupName}`, options)
      await page.getByLabel('Host', { exact: true }).fill(`https://${host}/path`)
      await page.getByLabel('Include subdomains').check()
      await page.getByLabel('Reason').fill(`Phishing ${LONG_WORD.slice(0, 100)}`)
      await page.getByRole('button', { name: 'Count affected links' }).click()
      await page.getByText('1 link points there now.').waitFor()
      await inspect(page, `operator-hosts-counted-${setupName}`, options)
      expect(await page.getByLabel('Include subdomains').isChecked()).toBe(true)
      await page.getByRole('button', { name: 'Block' }).click()
      await page.waitForURL('**/hosts?blocked=*')
      await inspect(page, `operator-hosts-${setupName}`, options)
      await page.getByRole('link', { name: `Unblock ${host}` }).click()
      await inspect(page, `operator-hosts-remove-${setupName}`, options)
      await page.getByRole('button', { name: 'Unblock' }).click()
      await page.waitForURL('**/hosts?unblocked=*')
      await page.getByText('is no longer blocked.').waitFor()
    }, options)
  },
)
