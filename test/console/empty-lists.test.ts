import { expect } from 'vitest'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('lists without entries say what they are for, with an icon, an example and a button', async ({
  app,
  make,
}) => {
  const owner = await make.owner()
  const { id, email } = owner.account
  await app.services.database.pool.query('delete from api_keys where account_id = $1', [id])
  const person = await signIn(app, email)
  const read = async (path: string) => {
    const { body } = await person.open(path)
    return /<section class="panel blank">([\s\S]*?)<\/section>/.exec(body)?.[1] ?? ''
  }
  const english = {
    '/console/keys': ['No API keys yet.', 'a CI job shortens', '#new', 'Create key'],
    '/console/webhooks': ['No endpoints yet.', 'post to a chat', '#new', 'Add endpoint'],
    '/console/members': ['the only member', 'invite a colleague', '#invite', 'Invite someone'],
  }
  for (const [path, [none, example, anchor, button]] of Object.entries(english)) {
    const blank = await read(path)
    for (const part of ['<svg class="icon"', none, example, `href="${anchor}">${button}</a>`]) {
      expect([path, blank]).toEqual([path, expect.stringContaining(String(part))])
    }
    const id = String(anchor).slice(1)
    expect((await person.open(path)).body).toContain(`<h2 id="${id}">`)
  }
  await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
  expect(await read('/console/keys')).toContain('Schlüssel erstellen</a>')
  expect(await read('/console/members')).toContain('Noch keine weiteren Mitglieder.')
  await person.send('/console/settings', { language: 'en', timeZone: 'UTC' })
  await person.send('/console/members/invite', { email: 'guest@x.test', role: 'viewer' })
  expect(await read('/console/members')).toBe('')
  const { account } = await make.owner()
  const keys = await (await signIn(app, account.email)).open('/console/keys')
  expect(keys.body).not.toContain('class="panel blank"')
})

test('the settings say that reports need email, which is not set up', async ({ app, make }) => {
  const { account } = await make.owner()
  const person = await signIn(app, account.email)
  const { body } = await person.open('/console/settings')
  expect(body).toContain('<h2 id="reports">Email reports</h2>')
  expect(body).toContain('Email isn’t set up on this server, so reports can’t be sent.')
  expect(body).not.toContain('name="frequency"')
})

test('the list of QR codes names the links of the account', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const link = await make.link(owner, { alias: 'menu', metaTitle: 'Dinner <menu>' })
  await make.qr(owner, { data: link.shortUrl })
  const { body } = await person.open('/console/codes')
  expect(body).toContain(`href="/console/links/${link.id}"><bdi>Dinner &lt;menu&gt;</bdi></a>`)
  expect(body).toContain('brev.test/menu')
})
