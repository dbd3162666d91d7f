import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest()
  .extend('person', { scope: 'file' }, ({ app, owner }) => signIn(app, owner.account.email))
  .extend(
    'keysOf',
    { scope: 'file' },
    ({ app, owner }) =>
      () =>
        app.services.keys.list(owner.account.id),
  )

async function works(app: TestApp, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  return (await app.request({ url: '/api/account', headers })).statusCode === 200
}

/** The one key that a page shows in full. */
function keyOn({ body }: { body: string }): string {
  return /brv_[0-9A-Za-z]{42}/.exec(body)?.[0] ?? ''
}

test('a key is made with a name and an end, works, and is shown once with a curl line', async ({
  app,
  person,
  keysOf,
}) => {
  const day = new Date(app.clock().getTime() + 86_400_000).toISOString().slice(0, 10)
  const reply = await person.send('/console/keys', { name: ' <b>Shop</b> ', expires: day })
  expect(reply.statusCode).toBe(200)
  const key = keyOn(reply)
  expect(reply.body).toContain(`Bearer ${key}&#39; http://brev.test/api/account</code>`)
  expect(reply.headers['cache-control']).toBe('private, no-store')
  expect(await works(app, key)).toBe(true)
  const page = await person.open('/console/keys')
  expect(page.body).toContain('&lt;b&gt;Shop&lt;/b&gt;')
  expect(page.body).toContain(`active until ${day} 23:59:59`)
  expect(page.body).not.toContain(key)
  expect(page.body).toContain(`${key.slice(0, 10)}…`)
  expect((await keysOf()).at(-1)).toMatchObject({ name: '<b>Shop</b>' })
})

test('a new key comes in a file for ShareX that makes a link', async ({ app, person }) => {
  const reply = await person.send('/console/keys', { name: 'ShareX' })
  const [, data = ''] = /download="brevis.sxcu" href="data:[^,"]*,([^"]*)"/.exec(reply.body) ?? []
  const uploader = JSON.parse(decodeURIComponent(data.replaceAll('&#39;', "'")))
  expect(uploader).toMatchObject({ DestinationType: 'URLShortener', Name: 'Brevis (brev.test)' })
  const made = await app.request({
    method: uploader.RequestMethod,
    url: uploader.RequestURL.replace('http://brev.test', ''),
    headers: { ...uploader.Headers, 'content-type': 'application/json' },
    payload: uploader.Data.replace('{input}', 'https://example.com/?a=b'),
  })
  expect(made.statusCode).toBe(200)
  expect(uploader.URL).toBe('{json:shorturl}')
  expect(made.json().shorturl).toMatch(/^http:\/\/brev\.test\//)
})

test('programs are told the address and the key on the page that shows one, and no key elsewhere', async ({
  person,
}) => {
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

test.for([
  [{ name: '', expires: '' }, 'name', 'Must not be empty.'],
  [{ name: 'x'.repeat(51), expires: '' }, 'name', 'Must be at most 50 characters long.'],
  [{ name: 'a\0b', expires: '' }, 'name', 'Must be text without NUL'],
  [{ name: 'Shop', expires: '2020-01-01' }, 'expires', 'Must be in the future.'],
  [{ name: 'Shop', expires: '2031-02-30' }, 'expires', 'Is not a date that exists.'],
  [{ name: 'Shop', expires: 'soon' }, 'expires', 'Must have the form'],
] as const)(
  'the form with %j comes again with the error at %s',
  async ([fields, at, text], { person, keysOf }) => {
    const before = await keysOf()
    const reply = await person.send('/console/keys', fields)
    expect(reply.statusCode).toBe(422)
    expect(reply.body).toMatch(new RegExp(`id="${at}"[^>]*aria-invalid="true"[^>]*autofocus`))
    expect(reply.body).toMatch(new RegExp(`id="${at}-error" role="alert">${text}`))
    expect(reply.body).toContain(`value="${fields.expires}"`)
    expect(await keysOf()).toEqual(before)
  },
)

test('a key is replaced by one of the same name, and works for as long as was said', async ({
  app,
  person,
  keysOf,
}) => {
  const first = keyOn(await person.send('/console/keys', { name: 'Till' }))
  const { id } = (await keysOf()).at(-1) ?? { id: 0 }
  const reply = await person.send(`/console/keys/${id}/rotate`, { overlap: 'hour' })
  const second = keyOn(reply)
  expect([reply.statusCode, await works(app, first), await works(app, second)]).toEqual([
    200,
    true,
    true,
  ])
  const [old, fresh] = (await keysOf()).slice(-2)
  expect(old?.expiresAt?.getTime()).toBe(app.clock().getTime() + 3_600_000)
  expect(fresh).toMatchObject({ name: 'Till', expiresAt: null })
  const third = keyOn(await person.send(`/console/keys/${fresh?.id}/rotate`, { overlap: 'none' }))
  expect([await works(app, second), await works(app, third)]).toEqual([false, true])
  for (const overlap of ['forever', 'constructor']) {
    const odd = await person.send(`/console/keys/${fresh?.id}/rotate`, { overlap })
    expect(odd.statusCode).toBe(400)
  }
})

test('a key is revoked from the next request on, and says so', async ({ app, person, keysOf }) => {
  const key = keyOn(await person.send('/console/keys', { name: 'Gone' }))
  const { id } = (await keysOf()).at(-1) ?? { id: 0 }
  const reply = await person.send(`/console/keys/${id}/revoke`)
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/console/keys'])
  expect(await works(app, key)).toBe(false)
  expect((await person.open('/console/keys')).body).toContain('revoked on')
  expect((await person.send(`/console/keys/${id}/revoke`)).statusCode).toBe(404)
})

test('the keys of another account are not shown, replaced or revoked', async ({ app, person }) => {
  const other = await app.make.owner()
  const [key] = await app.services.keys.list(other.account.id)
  expect((await person.open('/console/keys')).body).not.toContain(key?.prefix)
  for (const change of ['rotate', 'revoke']) {
    const reply = await person.send(`/console/keys/${key?.id}/${change}`, { overlap: 'none' })
    expect(reply.statusCode).toBe(404)
  }
  for (const id of ['0', '-1', 'x', '99999999999999999999', '1.5']) {
    expect((await person.send(`/console/keys/${id}/revoke`)).statusCode).toBe(404)
  }
  expect(await works(app, other.key)).toBe(true)
  expect(await app.services.keys.list(other.account.id)).toEqual([
    { ...key, lastUsedAt: expect.any(Date) },
  ])
})

test('an account has twenty keys in force at most, also when many are made at once', async ({
  app,
}) => {
  const { account } = await app.make.owner()
  const one = await signIn(app, account.email)
  const made = await Promise.allSettled(
    Array.from({ length: 25 }, () => app.services.keys.create(account.id)),
  )
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(19)
  const reply = await one.send('/console/keys', { name: 'One more' })
  expect([reply.statusCode, reply.body]).toEqual([
    403,
    expect.stringContaining('Revoke one first.'),
  ])
  expect(reply.body).toContain('value="One more"')
  const [first] = await app.services.keys.list(account.id)
  const overlapping = await one.send(`/console/keys/${first?.id}/rotate`, { overlap: 'day' })
  expect(overlapping.statusCode).toBe(403)
  const swapped = await one.send(`/console/keys/${first?.id}/rotate`, { overlap: 'none' })
  expect(swapped.statusCode).toBe(200)
})
