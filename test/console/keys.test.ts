import { expect } from 'vitest'
import { formatMoment } from '../../src/http/console/shell/format.ts'
import { createKey, listKeys, revokeKey } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from '../support/app.ts'
import { PASSWORD, signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest()
  .extend('person', { scope: 'file' }, ({ app, owner }) => signIn(app, owner.account.email))
  .extend(
    'listKeys',
    { scope: 'file' },
    ({ app, owner }) =>
      () =>
        listKeys({ db: app.services.db, accountId: owner.account.id }),
  )

/** Returns whether the API accepts a key. An accepted key gets 404 for an unknown path. */
async function isAccepted(app: TestApp, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  return (await app.request({ url: '/api/nothing', headers })).statusCode === 404
}

/** Returns the key that a page shows in full, or ''. */
function readKey({ body }: { body: string }): string {
  return /brv_[0-9A-Za-z]{42}/.exec(body)?.[0] ?? ''
}

test('creates a key with a name and an expiration, and shows it once with a curl command', async ({
  app,
  person,
  listKeys,
}) => {
  const day = new Date(app.clock().getTime() + 86_400_000).toISOString().slice(0, 10)
  const reply = await person.send('/console/keys', { name: ' <b>Shop</b> ', expires: day })
  expect(reply.statusCode).toBe(200)
  const key = readKey(reply)
  expect(reply.body).toContain(`Bearer ${key}&#39; http://brev.test/api/urls</code>`)
  expect(reply.headers['cache-control']).toBe('private, no-store')
  expect(await isAccepted(app, key)).toBe(true)
  const page = await person.open('/console/keys')
  expect(page.body).toContain('&lt;b&gt;Shop&lt;/b&gt;')
  expect(page.body).toContain(`Active until ${formatMoment(new Date(`${day}T23:59:59Z`), 'UTC')}`)
  expect(page.body).not.toContain(key)
  expect(page.body).toContain(`${key.slice(0, 10)}…`)
  const names = (await listKeys()).map(({ name }) => name)
  expect(names).toEqual(['First key', '<b>Shop</b>'])
})

test("a new key's ShareX file can create a link", async ({ app, person }) => {
  const reply = await person.send('/console/keys', { name: 'ShareX', scope: 'create' })
  const [, data = ''] = /download="brevis.sxcu" href="data:[^,"]*,([^"]*)"/.exec(reply.body) ?? []
  const uploader = JSON.parse(decodeURIComponent(data.replaceAll('&#39;', "'")))
  expect(uploader).toMatchObject({ DestinationType: 'URLShortener', Name: 'Brevis (brev.test)' })
  const created = await app.request({
    method: uploader.RequestMethod,
    url: uploader.RequestURL.replace('http://brev.test', ''),
    headers: { ...uploader.Headers, 'content-type': 'application/json' },
    payload: uploader.Data.replace('{input}', 'https://example.com/?a=b'),
  })
  expect(created.statusCode).toBe(200)
  expect(await app.request({ url: '/api/urls', headers: uploader.Headers })).toMatchObject({
    statusCode: 403,
  })
  expect(uploader.URL).toBe('{json:shorturl}')
  expect(created.json().shorturl).toMatch(/^http:\/\/brev\.test\//)
})

test('recipes for other programs contain a key only on the page that shows it as new', async ({
  person,
}) => {
  const newKeyPage = await person.send('/console/keys', { name: 'Programs' })
  const key = readKey(newKeyPage)
  for (const part of ['/yourls-api.php', '/api/url/add', '/api/stats?limit=1']) {
    expect(newKeyPage.body).toContain(`http://brev.test${part}`)
  }
  const occurrences = newKeyPage.body.split(key).length - 1
  expect(occurrences).toBe(6)
  expect(newKeyPage.body).not.toContain('brevis.sxcu')
  const page = await person.open('/console/keys')
  expect(page.body).toContain('http://brev.test/yourls-api.php')
  expect(page.body).toContain('Bearer YOUR-KEY')
  expect(page.body).not.toContain('brevis.sxcu')
})

test.for([
  ['links', 'GET', '/api/stats', 200],
  ['links', 'PUT', '/api/account/update', 403],
  ['create', 'GET', '/api/urls', 403],
  ['read', 'GET', '/api/urls', 200],
  ['read', 'POST', '/api/url/add', 403],
] as const)(
  'a key with the scope %s needs no password to be created, and %s %s returns %i',
  async ([scope, method, url, status], { app, person }) => {
    const reply = await person.send('/console/keys', { name: scope, scope })
    expect(reply.statusCode).toBe(200)
    const headers = { authorization: `Bearer ${readKey(reply)}` }
    const payload = method === 'GET' ? undefined : { url: 'https://example.com/' }
    const apiReply = await app.request({ method, url, headers, ...(payload && { payload }) })
    expect(apiReply.statusCode).toBe(status)
  },
)

test('preselects the scope "links" and uses it for a form without a scope', async ({
  person,
  listKeys,
}) => {
  const { body } = await person.open('/console/keys')
  expect(body.match(/name="scope"/g)).toHaveLength(4)
  expect(body).toMatch(/name="scope" value="links" checked/)
  expect(body.match(/ checked/g)).toHaveLength(1)
  await person.send('/console/keys', { name: 'No scope' })
  expect((await listKeys()).at(-1)).toMatchObject({
    name: 'No scope',
    scope: 'links',
    domain: null,
  })
})

test('creating a full key requires the password', async ({ app, person, listKeys }) => {
  const fields = { name: 'Everything', scope: 'full' }
  const before = await listKeys()
  for (const currentPassword of ['', 'wrong password']) {
    const reply = await person.send('/console/keys', { ...fields, currentPassword })
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toMatch(/id="currentPassword"[^>]*aria-invalid="true"[^>]*autofocus/)
    expect(reply.body).toMatch(/value="full" checked/)
    expect(reply.body).not.toContain('wrong password')
    expect(readKey(reply)).toBe('')
  }
  expect(await listKeys()).toEqual(before)
  const reply = await person.send('/console/keys', { ...fields, currentPassword: PASSWORD })
  expect([reply.statusCode, reply.body.includes(PASSWORD)]).toEqual([200, false])
  const headers = { authorization: `Bearer ${readKey(reply)}` }
  expect((await app.request({ url: '/api/domains', headers })).statusCode).toBe(200)
})

test('rotating a full key requires the password', async ({ app, make }) => {
  const { account } = await make.owner()
  const person = await signIn(app, account.email, '198.51.100.77')
  const [first] = await listKeys({ db: app.services.db, accountId: account.id })
  const path = `/console/keys/${first?.id}/rotate`
  expect((await person.open('/console/keys')).body).toContain(`id="password-${first?.id}"`)
  for (const currentPassword of ['', 'wrong password']) {
    const reply = await person.send(path, { overlap: 'none', currentPassword })
    expect([reply.statusCode, readKey(reply)]).toEqual([422, ''])
    expect(reply.body).toMatch(/class="open-popup" id="rotate-\d+"[^>]*>.*Rotate/)
    expect(reply.body).toMatch(/id="rotation-error" role="alert">Incorrect password/)
  }
  expect(await listKeys({ db: app.services.db, accountId: account.id })).toEqual([first])
  const reply = await person.send(path, { overlap: 'none', currentPassword: PASSWORD })
  expect([reply.statusCode, readKey(reply)]).toEqual([200, expect.stringMatching(/^brv_/)])
  expect((await listKeys({ db: app.services.db, accountId: account.id })).at(-1)).toMatchObject({
    scope: 'full',
  })
})

test('wrong passwords for a full key are limited like sign-in attempts', async ({ app, make }) => {
  const { account } = await make.owner()
  const person = await signIn(app, account.email, '198.51.100.78')
  const guess = (currentPassword: string) =>
    person.send('/console/keys', { name: 'Guess', scope: 'full', currentPassword })
  const statuses = []
  for (let attempt = 1; attempt <= 6; attempt += 1) statuses.push((await guess('wrong')).statusCode)
  const lastReply = await guess(PASSWORD)
  expect([...statuses, lastReply.statusCode]).toEqual([422, 422, 422, 422, 422, 429, 429])
  expect(Number(lastReply.headers['retry-after'])).toBeGreaterThan(0)
  expect(await listKeys({ db: app.services.db, accountId: account.id })).toHaveLength(1)
})

test('a key can be bound to a domain of the account, which the list shows', async ({
  app,
  make,
  owner,
  person,
  listKeys,
}) => {
  expect((await person.open('/console/keys')).body).not.toContain('name="domain"')
  await make.domain(owner, { domain: 'https://go.example' })
  expect((await person.open('/console/keys')).body).toContain('<option value="go.example">')
  const reply = await person.send('/console/keys', { name: 'Bound', domain: 'go.example' })
  expect(reply.body).toContain('Scope: Links. Domain: go.example.')
  expect((await listKeys()).at(-1)?.domain).toMatchObject({ host: 'go.example' })
  expect((await person.open('/console/keys')).body).toContain('on go.example')
  const otherOwner = await make.owner()
  const otherPerson = await signIn(app, otherOwner.account.email, '198.51.100.79')
  const rejected = await otherPerson.send('/console/keys', {
    name: 'Foreign',
    domain: 'go.example',
  })
  expect([rejected.statusCode, rejected.body]).toEqual([
    422,
    expect.stringContaining('Is not a branded domain of this account.'),
  ])
})

test.for([
  [{ name: '', expires: '' }, 'name', 'Must not be empty.'],
  [{ name: 'x'.repeat(51), expires: '' }, 'name', 'Must be at most 50 characters long.'],
  [{ name: 'a\0b', expires: '' }, 'name', 'Must not contain NUL'],
  [{ name: 'Shop', expires: '2020-01-01' }, 'expires', 'Must be in the future.'],
  [{ name: 'Shop', expires: '2031-02-30' }, 'expires', 'Is not a date that exists.'],
  [{ name: 'Shop', expires: 'soon' }, 'expires', 'Must have the form'],
] as const)(
  'the form with %j shows an error at the field %s',
  async ([fields, fieldId, text], { person, listKeys }) => {
    const before = await listKeys()
    const reply = await person.send('/console/keys', fields)
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toMatch(new RegExp(`id="${fieldId}"[^>]*aria-invalid="true"[^>]*autofocus`))
    expect(reply.body).toMatch(new RegExp(`id="${fieldId}-error" role="alert">${text}`))
    expect(reply.body).toContain(`value="${fields.expires}"`)
    expect(await listKeys()).toEqual(before)
  },
)

test('rotating a key preserves its name, and the old key works during the overlap', async ({
  app,
  person,
  listKeys,
}) => {
  const first = readKey(await person.send('/console/keys', { name: 'Till' }))
  const { id } = (await listKeys()).at(-1) ?? { id: 0 }
  const reply = await person.send(`/console/keys/${id}/rotate`, { overlap: 'hour' })
  const second = readKey(reply)
  expect([reply.statusCode, await isAccepted(app, first), await isAccepted(app, second)]).toEqual([
    200,
    true,
    true,
  ])
  const [oldKey, newKey] = (await listKeys()).slice(-2)
  expect(oldKey?.expiresAt?.getTime()).toBe(app.clock().getTime() + 3_600_000)
  expect(newKey).toMatchObject({ name: 'Till', expiresAt: null })
  const third = readKey(
    await person.send(`/console/keys/${newKey?.id}/rotate`, { overlap: 'none' }),
  )
  expect([await isAccepted(app, second), await isAccepted(app, third)]).toEqual([false, true])
  for (const overlap of ['forever', 'constructor']) {
    const invalid = await person.send(`/console/keys/${newKey?.id}/rotate`, { overlap })
    expect(invalid.statusCode).toBe(400)
  }
})

test('revoking a key takes effect immediately', async ({ app, person, listKeys }) => {
  const key = readKey(await person.send('/console/keys', { name: 'Gone' }))
  const { id } = (await listKeys()).at(-1) ?? { id: 0 }
  const reply = await person.send(`/console/keys/${id}/revoke`)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/keys'])
  expect(await isAccepted(app, key)).toBe(false)
  expect((await person.open('/console/keys')).body).toContain('Revoked on')
  expect((await person.send(`/console/keys/${id}/revoke`)).statusCode).toBe(404)
})

test('keys of another account are not listed and cannot be rotated or revoked', async ({
  app,
  person,
}) => {
  const otherOwner = await app.make.owner()
  const [key] = await listKeys({ db: app.services.db, accountId: otherOwner.account.id })
  expect((await person.open('/console/keys')).body).not.toContain(key?.prefix)
  for (const change of ['rotate', 'revoke']) {
    const reply = await person.send(`/console/keys/${key?.id}/${change}`, { overlap: 'none' })
    expect(reply.statusCode).toBe(404)
  }
  for (const id of ['0', '-1', 'x', '99999999999999999999', '1.5']) {
    expect((await person.send(`/console/keys/${id}/revoke`)).statusCode).toBe(404)
  }
  expect(await isAccepted(app, otherOwner.key)).toBe(true)
  expect(await listKeys({ db: app.services.db, accountId: otherOwner.account.id })).toEqual([
    { ...key, lastUsedAt: expect.any(Date) },
  ])
})

test('limits valid keys to twenty, even for concurrent requests', async ({ app }) => {
  const { account } = await app.make.owner()
  const session = await signIn(app, account.email)
  const created = await Promise.allSettled(
    Array.from({ length: 25 }, () => createKey(scopeOf(app.services, account.id))),
  )
  expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(19)
  const reply = await session.send('/console/keys', { name: 'One more' })
  expect([reply.statusCode, reply.body]).toEqual([
    403,
    expect.stringContaining('Revoke one first.'),
  ])
  expect(reply.body).toContain('value="One more"')
  const [first] = await listKeys({ db: app.services.db, accountId: account.id })
  const rotate = (overlap: string) =>
    session.send(`/console/keys/${first?.id}/rotate`, { overlap, currentPassword: PASSWORD })
  const overlapping = await rotate('day')
  expect([overlapping.statusCode, overlapping.body]).toEqual([
    403,
    expect.stringContaining('Revoke one first.'),
  ])
  expect((await rotate('none')).statusCode).toBe(200)
  // A revoked key makes room for one.
  const keys = await listKeys({ db: app.services.db, accountId: account.id })
  const other = keys.find(({ id }) => id !== first?.id)
  await revokeKey(scopeOf(app.services, account.id), other?.id ?? 0)
  const create = () => createKey(scopeOf(app.services, account.id))
  await create()
  await expect(create()).rejects.toMatchObject({ code: 'too_many_keys' })
})
