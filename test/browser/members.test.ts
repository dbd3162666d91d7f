import { expect } from 'vitest'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { PASSWORD } from '../support/console.ts'
import { inspect } from '../support/inspection.ts'
import { addMember, inviteTo, signInMember } from '../support/members.ts'

const test = browserTest()

test.for(browserSetups)(
  '%s: an owner invites an editor, who accepts and creates a link',
  async ([setupName, options], { app, signInPage }) => {
    const owner = await app.make.owner()
    await addMember(app, owner, 'viewer')
    await inviteTo(app, owner, 'viewer', `${'long.'.repeat(11)}@${LONG_WORD.slice(0, 60)}.example`)
    let url = ''
    await app.walk(async (page) => {
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/members`)
      await page.getByRole('button', { name: 'Change' }).first().click()
      await inspect(page, `members-${setupName}`, options)
      await page.getByRole('button', { name: 'Cancel' }).locator('visible=true').click()
      await page.getByLabel('Email').fill(owner.account.email)
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.waitForSelector('#email-error')
      await inspect(page, `members-wrong-${setupName}`, options)
      await page.getByLabel('Email').fill(`guest-${setupName.replaceAll(' ', '-')}@example.org`)
      await page.getByLabel('Role').last().selectOption('Editor')
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.waitForSelector('#invitation')
      await inspect(page, `invitation-link-${setupName}`, options)
      url = (await page.textContent('#invitation')) ?? ''
    }, options)
    await app.walk(async (page) => {
      await page.goto(url)
      await inspect(page, `invitation-${setupName}`, options)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Accept invitation' }).click()
      await page.waitForURL('**/console')
      await page.getByLabel('Destination URL').fill('https://example.com/by-a-guest')
      await page.getByRole('button', { name: 'Create link', exact: true }).click()
      await page.waitForSelector('text=Your link is ready')
      expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0)
      await page.goto(`${app.baseUrl}/console/accounts`)
      await inspect(page, `accounts-${setupName}`, options)
      await page.goto(`${app.baseUrl}/console/account`)
      await inspect(page, `account-editor-${setupName}`, options)
      await page.goto(url)
      await inspect(page, `invitation-used-${setupName}`, options)
    }, options)
  },
)

test.for(browserSetups)(
  '%s: a viewer sees no buttons that change the account’s content',
  async ([setupName, options], { app }) => {
    const owner = await app.make.owner()
    const link = await app.make.link(owner)
    const { cookie } = await signInMember(app, owner, 'viewer')
    const value = cookie.slice(cookie.indexOf('=') + 1)
    await app.walk(async (page) => {
      await page
        .context()
        .addCookies([{ name: 'brevis_session', value, url: `${app.baseUrl}/console` }])
      for (const path of ['', '/links', `/links/${link.id}`, '/campaigns', '/codes', '/account']) {
        await page.goto(`${app.baseUrl}/console${path}`)
        // On the account page, viewers can save their own email address and delete their own user.
        expect(
          await page.getByRole('button', { name: /^(Create|Save|Delete|Disable|Add)/ }).count(),
        ).toBe(path === '/account' ? 2 : 0)
        await inspect(page, `viewer${path.replaceAll('/', '-')}-${setupName}`, options)
      }
    }, options)
  },
)
