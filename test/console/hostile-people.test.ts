import { expect } from 'vitest'
import { createSession } from '../../src/accounts/session.service.ts'
import type { TestApp } from '../support/app.ts'
import { PASSWORD, personWith, sessionCookieOf } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { inviteTo, memberOf } from '../support/members.ts'
import { newAddress, signInTest } from '../support/sign-in-test.ts'

const HOME = '/console/members'

const test = signInTest()

async function browserOf({ services, ...app }: TestApp, { account }: Owner) {
  const token = await createSession(services, services.db, account.id)
  return personWith({ services, ...app }, `brevis_session=${token}`, newAddress())
}

function membersOf({ services }: TestApp, { account }: Owner) {
  return services.db
    .selectFrom('members')
    .select(['user_id', 'role'])
    .where('account_id', '=', account.id)
    .orderBy('user_id')
    .execute()
}

test('adds only one of two users who accept an invitation concurrently', async ({
  app,
  make,
  mine,
}) => {
  const { path } = await inviteTo(app, mine, 'viewer')
  const replies = await Promise.all(
    [await make.owner(), await make.owner()].map(async (guest) => {
      const { cookie } = await browserOf(app, guest)
      const form = formOf(await app.request({ url: path, headers: { cookie } }))
      const fields = { csrf: form.csrf, role: 'owner', email: mine.account.email }
      return postForm(app, path, fields, { cookie: `${form.cookie}; ${cookie}` })
    }),
  )
  expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 410])
  const members = await membersOf(app, mine)
  expect(members.map(({ role }) => role)).toEqual(['owner', 'viewer'])
})

test('ignores additional form fields when changing roles', async ({ app, mine }) => {
  const editor = await memberOf(app, mine, 'editor')
  const before = await membersOf(app, mine)
  const account = String(mine.account.id)
  const extra = { role: 'owner', admin: 'true', account, account_id: '1', id: '1', user_id: '1' }
  const fields = { ...extra, email: 'new@example.org', language: 'en', timeZone: 'UTC' }
  for (const path of ['settings', 'account/email', 'accounts/switch']) {
    const reply = await editor.send(`/console/${path}`, { ...fields, yourPassword: PASSWORD })
    expect([path, reply.statusCode]).toEqual([path, 303])
  }
  expect(await membersOf(app, mine)).toEqual(before)
  const admins = await app.services.db.selectFrom('users').select('id').where('admin', '=', true)
  expect((await admins.execute()).map(({ id }) => id)).not.toContain(editor.user.id)
})

test.for([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
])(
  'a request with %j neither creates nor accepts an invitation',
  async (headers, { app, mine }) => {
    const owner = await browserOf(app, mine)
    const { csrf } = formOf(await owner.open(HOME))
    const { path } = await inviteTo(app, mine, 'viewer')
    const page = formOf(await app.request({ url: path }))
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    for (const [url, cookie, fields] of [
      [`${HOME}/invite`, owner.cookie, { csrf, email: 'c@d.test', role: 'editor' }],
      [path, page.cookie, { csrf: page.csrf, password: PASSWORD }],
    ] as const) {
      const payload = new URLSearchParams(fields).toString()
      const reply = await app.request({
        method: 'POST',
        url,
        headers: { ...form, cookie },
        payload,
      })
      expect([url, reply.statusCode, sessionCookieOf(reply)]).toEqual([url, 403, ''])
    }
    expect(await membersOf(app, mine)).toHaveLength(1)
  },
)
