import { expect } from 'vitest'
import { countChange } from '../../src/identity/session.service.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { testApp } from '../support/app.ts'
import { PASSWORD, signIn, trySignIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const test = appTest()
  .extend('person', { scope: 'file' }, ({ app, owner }) => signIn(app, owner.account.email))
  .extend('countLinks', { scope: 'file' }, ({ app, owner }) => async () => {
    const { total } = await listLinks(scopeOf(app.services, owner.account.id), {
      order: 'date',
      limit: 1,
      offset: 0,
    })
    return total
  })
  /** Sends a form with a valid token and these headers. */
  .extend(
    'sendWith',
    { scope: 'file' },
    ({ app, person }) =>
      async (headers: Record<string, string>) => {
        const { csrf } = formOf(await person.open('/console'))
        return app.request({
          method: 'POST',
          url: '/console/links',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            cookie: person.cookie,
            ...headers,
          },
          payload: new URLSearchParams({ csrf, ...fields }).toString(),
        })
      },
  )

const fields = { url: 'https://example.com/forged' }

test.for(['', 'x', 'x'.repeat(43), 'ü'.repeat(43)])(
  'rejects a change with the invalid token %j',
  async (csrf, { app, person, countLinks }) => {
    const before = await countLinks()
    const reply = await postForm(app, '/console/links', { csrf, ...fields }, person)
    expect([reply.statusCode, await countLinks()]).toEqual([403, before])
    expect(reply.body).toContain('This form has expired.')
  },
)

test("rejects a change without a token or with another user's token", async ({
  app,
  person,
  countLinks,
}) => {
  const before = await countLinks()
  const otherPerson = await signIn(app, (await app.make.owner()).account.email)
  const { csrf } = formOf(await otherPerson.open('/console'))
  for (const body of [fields, { csrf, ...fields }]) {
    expect((await postForm(app, '/console/links', body, person)).statusCode).toBe(403)
  }
  expect(await countLinks()).toBe(before)
})

test.for<Record<string, string>>([
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'http://brev.test' },
  { origin: 'https://evil.example' },
  { origin: 'http://brev.test.evil.example' },
  { origin: 'http://brev.test:8080' },
  { origin: 'null' },
])('rejects a cross-site change with %j', async (headers, { countLinks, sendWith }) => {
  const before = await countLinks()
  const reply = await sendWith(headers)
  expect([reply.statusCode, await countLinks()]).toEqual([403, before])
})

test.for<Record<string, string>>([
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin', origin: 'http://brev.test' },
  { origin: 'http://brev.test' },
  {},
])('accepts a change from the console with %j', async (headers, { countLinks, sendWith }) => {
  const before = await countLinks()
  const reply = await sendWith(headers)
  expect([reply.statusCode, await countLinks()]).toEqual([303, before + 1])
})

test('rejects a sign-in from another site, with or without a token', async ({ app }) => {
  const { account } = await app.make.owner()
  const credentials = { email: account.email, password: PASSWORD }
  const forged = await trySignIn(app, { ...credentials, csrf: 'forged' })
  expect([forged.statusCode, forged.body]).toEqual([403, expect.stringContaining('has expired')])
  const form = formOf(await app.request({ url: '/console/sign-in' }))
  const reply = await app.request({
    method: 'POST',
    url: '/console/sign-in',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: form.cookie,
      origin: 'https://evil.example',
    },
    payload: new URLSearchParams({ csrf: form.csrf, ...credentials }).toString(),
  })
  expect([reply.statusCode, reply.headers['set-cookie']]).toEqual([403, undefined])
})

test('GET requests change nothing', async ({ person, countLinks }) => {
  const before = await countLinks()
  for (const path of ['/console/sign-out', '/console/keys/1/revoke', '/console/account/delete']) {
    expect((await person.open(`${path}?url=https://example.com/`)).statusCode).toBe(404)
  }
  for (const path of ['/console', '/console/links', '/console/links/new', '/console/account']) {
    expect((await person.open(`${path}?url=https://example.com/`)).statusCode).toBe(200)
  }
  expect(await countLinks()).toBe(before)
})

test('the console is not served on branded domains and unknown hosts', async ({
  app,
  owner,
  person,
}) => {
  const { host } = await app.make.domain(owner)
  for (const name of [host, 'unknown.test']) {
    for (const url of ['/console', '/console/sign-in', '/console/keys']) {
      const headers = { host: name, cookie: person.cookie }
      expect([name, url, (await app.request({ url, headers })).statusCode]).toEqual([
        name,
        url,
        404,
      ])
    }
    const { csrf } = formOf(await person.open('/console'))
    const reply = await app.request({
      method: 'POST',
      url: '/console/links',
      headers: {
        host: name,
        cookie: person.cookie,
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ csrf, ...fields }).toString(),
    })
    expect(reply.statusCode).toBe(404)
  }
})

test('pages have security headers', async ({ app, person }) => {
  for (const url of ['/console', '/console/keys', '/console/sign-in']) {
    const cookie = url === '/console/sign-in' ? '' : person.cookie
    const { headers, body, statusCode } = await app.request({ url, headers: { cookie } })
    expect(statusCode).toBe(200)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    })
    expect(body).not.toMatch(/ on\w+="| style="/)
  }
})

test('styles and scripts have versioned paths and are cached permanently', async ({
  app,
  person,
}) => {
  const { body } = await person.open('/console')
  const paths = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
    ([, path]) => path,
  )
  // The styles, and the scripts of an overview: live figures, copying, keyboard shortcuts, the search,
  // and what they share.
  expect(paths).toHaveLength(6)
  for (const path of paths) {
    const reply = await app.request({ url: String(path) })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toMatch(/^text\/(css|javascript); charset=utf-8$/)
    expect(reply.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    // A page that was opened before an update requests the path of the former version.
    const older = await app.request({ url: String(path).replace(/assets\/[^/]+/, 'assets/older') })
    expect([older.body === reply.body, older.headers['cache-control']]).toEqual([true, 'no-cache'])
  }
  const file = String(paths[0]).replace(/[^/]+$/, '..%2Fplugin.ts')
  expect((await app.request({ url: file })).statusCode).toBe(404)
})

test("changes in the console do not count towards an API key's rate limit", async () => {
  const strictApp = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1' } })
  try {
    const { account, headers } = await strictApp.make.owner()
    const session = await signIn(strictApp, account.email)
    for (let count = 0; count < 3; count += 1) {
      expect((await session.send('/console/links', fields)).statusCode).toBe(303)
    }
    expect((await strictApp.request({ url: '/api/account', headers })).statusCode).toBe(200)
  } finally {
    await strictApp.close()
  }
})

test('limits changes per minute', async ({ app }) => {
  const { account } = await app.make.owner()
  const session = await signIn(app, account.email)
  const { csrf } = formOf(await session.open('/console'))
  for (let count = 0; count < 120; count += 1) await countChange(app.services, account.id)
  const reply = await postForm(app, '/console/links', { csrf, ...fields }, session)
  expect([reply.statusCode, Number(reply.headers['retry-after'])]).toEqual([
    429,
    expect.any(Number),
  ])
})

test('CONSOLE=off disables the console', async () => {
  const closedApp = await testApp({ env: { CONSOLE: 'off' } })
  try {
    for (const url of ['/console', '/console/sign-in', '/console/keys']) {
      expect((await closedApp.request({ url })).statusCode).toBe(404)
    }
    expect((await closedApp.request({ url: '/' })).body).not.toContain('/console')
    const form = formOf(await closedApp.request({ url: '/register' }))
    const input = { email: 'n@example.com', username: 'newcomer', password: PASSWORD }
    const reply = await postForm(closedApp, '/register', { csrf: form.csrf, ...input }, form)
    expect([reply.statusCode, reply.body.includes('/console')]).toEqual([200, false])
    expect(String(reply.headers['set-cookie'])).not.toContain('session')
  } finally {
    await closedApp.close()
  }
})
