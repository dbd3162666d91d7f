import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { type Person, signIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'

let t: TestApp
let owner: Owner
let person: Person

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner()
  person = await signIn(t, owner.account.email)
})
afterAll(() => t.close())

const keysOf = () => t.services.keys.list(owner.account.id)

async function works(key: string) {
  const headers = { authorization: `Bearer ${key}` }
  return (await t.request({ url: '/api/account', headers })).statusCode === 200
}

/** The one key that a page shows in full. */
function keyOn({ body }: { body: string }): string {
  return /brv_[0-9A-Za-z]{42}/.exec(body)?.[0] ?? ''
}

test('a key is made with a name and an end, works, and is shown once with a curl line', async () => {
  const day = new Date(t.clock().getTime() + 86_400_000).toISOString().slice(0, 10)
  const reply = await person.send('/console/keys', { name: ' <b>Shop</b> ', expires: day })
  expect(reply.statusCode).toBe(200)
  const key = keyOn(reply)
  expect(reply.body).toContain(`Bearer ${key}&#39; http://brev.test/api/account</code>`)
  expect(reply.headers['cache-control']).toBe('private, no-store')
  expect(await works(key)).toBe(true)
  const page = await person.open('/console/keys')
  expect(page.body).toContain('&lt;b&gt;Shop&lt;/b&gt;')
  expect(page.body).toContain(`active until ${day} 23:59:59`)
  expect(page.body).not.toContain(key)
  expect(page.body).toContain(`${key.slice(0, 10)}…`)
  expect((await keysOf()).at(-1)).toMatchObject({ name: '<b>Shop</b>' })
})

test('a new key comes in a file for ShareX that makes a link', async () => {
  const reply = await person.send('/console/keys', { name: 'ShareX' })
  const [, data = ''] = /download="brevis.sxcu" href="data:[^,"]*,([^"]*)"/.exec(reply.body) ?? []
  const uploader = JSON.parse(decodeURIComponent(data.replaceAll('&#39;', "'")))
  expect(uploader).toMatchObject({ DestinationType: 'URLShortener', Name: 'Brevis (brev.test)' })
  const made = await t.request({
    method: uploader.RequestMethod,
    url: uploader.RequestURL.replace('http://brev.test', ''),
    headers: { ...uploader.Headers, 'content-type': 'application/json' },
    payload: uploader.Data.replace('{input}', 'https://example.com/?a=b'),
  })
  expect(made.statusCode).toBe(200)
  expect(uploader.URL).toBe('{json:shorturl}')
  expect(made.json().shorturl).toMatch(/^http:\/\/brev\.test\//)
})

test('programs are told the address and the key on the page that shows one, and no key elsewhere', async () => {
  const shown = await person.send('/console/keys', { name: 'Programs' })
  const key = keyOn(shown)
  for (const part of ['/yourls-api.php', '/api/url/add', '/api/stats?limit=1']) {
    expect(shown.body).toContain(`http://brev.test${part}`)
  }
  expect(shown.body.split(key).length - 1).toBe(7)
  const page = await person.open('/console/keys')
  expect(page.body).toContain('http://brev.test/yourls-api.php')
  expect(page.body).toContain('Bearer YOUR-KEY')
  expect(page.body).not.toContain('brevis.sxcu')
})

test.each([
  [{ name: '', expires: '' }, 'name', 'Must not be empty.'],
  [{ name: 'x'.repeat(51), expires: '' }, 'name', 'Must be at most 50 characters long.'],
  [{ name: 'a\0b', expires: '' }, 'name', 'Must be text without NUL'],
  [{ name: 'Shop', expires: '2020-01-01' }, 'expires', 'Must be in the future.'],
  [{ name: 'Shop', expires: '2031-02-30' }, 'expires', 'Is not a date that exists.'],
  [{ name: 'Shop', expires: 'soon' }, 'expires', 'Must have the form'],
])('the form with %j comes again with the error at %s', async (fields, at, text) => {
  const before = await keysOf()
  const reply = await person.send('/console/keys', fields)
  expect(reply.statusCode).toBe(422)
  expect(reply.body).toMatch(new RegExp(`id="${at}"[^>]*aria-invalid="true"[^>]*autofocus`))
  expect(reply.body).toMatch(new RegExp(`id="${at}-error" role="alert">${text}`))
  expect(reply.body).toContain(`value="${fields.expires}"`)
  expect(await keysOf()).toEqual(before)
})

test('a key is replaced by one of the same name, and works for as long as was said', async () => {
  const first = keyOn(await person.send('/console/keys', { name: 'Till' }))
  const { id } = (await keysOf()).at(-1) ?? { id: 0 }
  const reply = await person.send(`/console/keys/${id}/rotate`, { overlap: 'hour' })
  const second = keyOn(reply)
  expect([reply.statusCode, await works(first), await works(second)]).toEqual([200, true, true])
  const [old, fresh] = (await keysOf()).slice(-2)
  expect(old?.expiresAt?.getTime()).toBe(t.clock().getTime() + 3_600_000)
  expect(fresh).toMatchObject({ name: 'Till', expiresAt: null })
  const third = keyOn(await person.send(`/console/keys/${fresh?.id}/rotate`, { overlap: 'none' }))
  expect([await works(second), await works(third)]).toEqual([false, true])
  for (const overlap of ['forever', 'constructor']) {
    const odd = await person.send(`/console/keys/${fresh?.id}/rotate`, { overlap })
    expect(odd.statusCode).toBe(400)
  }
})

test('a key is revoked from the next request on, and says so', async () => {
  const key = keyOn(await person.send('/console/keys', { name: 'Gone' }))
  const { id } = (await keysOf()).at(-1) ?? { id: 0 }
  const reply = await person.send(`/console/keys/${id}/revoke`)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/keys'])
  expect(await works(key)).toBe(false)
  expect((await person.open('/console/keys')).body).toContain('revoked on')
  expect((await person.send(`/console/keys/${id}/revoke`)).statusCode).toBe(404)
})

test('the keys of another account are not shown, replaced or revoked', async () => {
  const other = await t.make.owner()
  const [key] = await t.services.keys.list(other.account.id)
  expect((await person.open('/console/keys')).body).not.toContain(key?.prefix)
  for (const change of ['rotate', 'revoke']) {
    const reply = await person.send(`/console/keys/${key?.id}/${change}`, { overlap: 'none' })
    expect(reply.statusCode).toBe(404)
  }
  for (const id of ['0', '-1', 'x', '99999999999999999999', '1.5']) {
    expect((await person.send(`/console/keys/${id}/revoke`)).statusCode).toBe(404)
  }
  expect(await works(other.key)).toBe(true)
  expect(await t.services.keys.list(other.account.id)).toEqual([
    { ...key, lastUsedAt: expect.any(Date) },
  ])
})

test('an account has twenty keys in force at most, also when many are made at once', async () => {
  const { account } = await t.make.owner()
  const one = await signIn(t, account.email)
  const made = await Promise.allSettled(
    Array.from({ length: 25 }, () => t.services.keys.create(account.id)),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(19)
  const reply = await one.send('/console/keys', { name: 'One more' })
  expect([reply.statusCode, reply.body]).toEqual([
    403,
    expect.stringContaining('Revoke one first.'),
  ])
  expect(reply.body).toContain('value="One more"')
  const [first] = await t.services.keys.list(account.id)
  const overlapping = await one.send(`/console/keys/${first?.id}/rotate`, { overlap: 'day' })
  expect(overlapping.statusCode).toBe(403)
  const swapped = await one.send(`/console/keys/${first?.id}/rotate`, { overlap: 'none' })
  expect(swapped.statusCode).toBe(200)
})
