import { expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { openSession, PASSWORD, sessionCookieOf } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { inviteTo, signInMember } from '../support/members.ts'
import { signInTest } from '../support/sign-in-test.ts'

const PAGE = '/console/members'

const test = signInTest()

/** Signs in the owner of an account without the sign-in form. */
async function openBrowser({ services, ...app }: TestApp, { account }: Owner) {
  const token = await createSession(scopeOf(services, account.id))
  return openSession({ services, ...app }, `brevis_session=${token}`, newAddress())
}

/** Returns the user ids and roles of an account's members. */
function listMembers({ services }: TestApp, { account }: Owner) {
  return services.db
    .selectFrom('members')
    .select(['user_id', 'role'])
    .where('account_id', '=', account.id)
    .orderBy('user_id')
    .execute()
}

test('an invitation accepted by two users concurrently adds only one', async ({
  app,
  make,
  owner,
}) => {
  const { path } = await inviteTo(app, owner, 'viewer')
  const replies = await Promise.all(
    [await make.owner(), await make.owner()].map(async (guest) => {
      const { cookie } = await openBrowser(app, guest)
      const form = formOf(await app.request({ url: path, headers: { cookie } }))
      const fields = { csrf: form.csrf, role: 'owner', email: owner.account.email }
      return postForm(app, path, fields, { cookie: `${form.cookie}; ${cookie}` })
    }),
  )
  expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 410])
  const members = await listMembers(app, owner)
  expect(members.map(({ role }) => role)).toEqual(['owner', 'viewer'])
})

test('additional form fields change neither roles nor admins', async ({ app, owner }) => {
  const editor = await signInMember(app, owner, 'editor')
  const before = await listMembers(app, owner)
  const extraFields = {
    role: 'owner',
    admin: 'true',
    account: String(owner.account.id),
    account_id: '1',
    id: '1',
    user_id: '1',
  }
  const fields = { ...extraFields, email: 'new@example.org', language: 'en', timeZone: 'UTC' }
  for (const path of ['settings', 'account/email', 'accounts/switch']) {
    const reply = await editor.send(`/console/${path}`, { ...fields, yourPassword: PASSWORD })
    expect([path, reply.statusCode]).toEqual([path, 303])
  }
  expect(await listMembers(app, owner)).toEqual(before)
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
  async (headers, { app, owner }) => {
    const person = await openBrowser(app, owner)
    const { csrf } = formOf(await person.open(PAGE))
    const { path } = await inviteTo(app, owner, 'viewer')
    const invitation = formOf(await app.request({ url: path }))
    for (const [url, cookie, fields] of [
      [`${PAGE}/invite`, person.cookie, { csrf, email: 'c@d.test', role: 'editor' }],
      [path, invitation.cookie, { csrf: invitation.csrf, password: PASSWORD }],
    ] as const) {
      const payload = new URLSearchParams(fields).toString()
      const reply = await app.request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers, cookie },
        payload,
      })
      expect([url, reply.statusCode, sessionCookieOf(reply)]).toEqual([url, 403, ''])
    }
    expect(await listMembers(app, owner)).toHaveLength(1)
  },
)
