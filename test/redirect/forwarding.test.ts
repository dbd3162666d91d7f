import { describe, expect } from 'vitest'
import { updateDomain } from '../../src/domains/domain.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { sendRaw } from '../support/raw-http.ts'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/base'

const test = appTest().extend('visit', { scope: 'file' }, ({ request }) => {
  /** Returns the location of a redirect, or else the status. */
  return async (path: string, host = 'brev.test', options: object = {}) => {
    const reply = await request({ url: path, headers: { host }, ...options })
    return reply.headers.location ?? reply.statusCode
  }
})

describe('forwardQuery', () => {
  test('adds the visitor’s query to the selected destination', async ({ make, owner, visit }) => {
    const { alias } = await make.link(owner, {
      url: `${url}?own=1`,
      forwardQuery: true,
      rules: [{ when: { query: { to: 'rule' } }, to: 'https://example.com/rule' }],
      parameters: [{ name: 'set', value: '1' }],
    })
    expect(await visit(`/${alias}?own=2&set=2&new=2`)).toBe(`${url}?own=1&new=2&set=1`)
    expect(await visit(`/${alias}?to=rule`)).toBe('https://example.com/rule?to=rule&set=1')
    expect(await visit(`/${alias}`)).toBe(`${url}?own=1&set=1`)
  })

  test('is off by default', async ({ make, owner, visit }) => {
    const { alias } = await make.link(owner, { url })
    expect(await visit(`/${alias}?a=1`)).toBe(url)
    expect(await visit(`/${alias}/a`)).toBe(404)
  })

  test('is kept when the password form is submitted', async ({ make, owner, request, visit }) => {
    const { alias } = await make.link(owner, {
      url,
      forwardQuery: true,
      forwardPath: true,
      password: 'open sesame',
    })
    // The path and query must be escaped in the form's action.
    const page = await request({ url: `/${alias}/a"b?c=1&d=<2>` })
    expect(page.statusCode).toBe(200)
    const action = /action="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(action.startsWith(`/${alias}/a`)).toBe(true)
    const postPassword = (password: string, path: string) =>
      visit(path, 'brev.test', {
        method: 'POST',
        headers: { host: 'brev.test', 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({ password }).toString(),
      })
    expect(await postPassword('wrong', `/${alias}/x?c=1`)).toBe(401)
    expect(await postPassword('open sesame', `/${alias}/x?c=1`)).toBe(`${url}/x?c=1`)
  })
})

describe('forwardPath', () => {
  test('appends the path after the alias and counts the click', async ({
    app,
    make,
    owner,
    visit,
  }) => {
    const { alias, id } = await make.link(owner, { url: `${url}?a=1#f`, forwardPath: true })
    expect(await visit(`/${alias}/any/thing`)).toBe(`${url}/any/thing?a=1#f`)
    expect(await visit(`/${alias}/any/?b=2`)).toBe(`${url}/any/?a=1#f`)
    expect(await visit(`/${alias}/`)).toBe(`${url}?a=1#f`)
    expect(await visit(`/${alias}`)).toBe(`${url}?a=1#f`)
    expect(await visit(`/${alias}/head`, 'brev.test', { method: 'HEAD' })).toBe(`${url}/head?a=1#f`)
    expect(await visit(`/${alias}/x`, 'brev.test', { method: 'DELETE' })).toBe(405)
    expect(await visit('/unknown/any/thing')).toBe(404)
    expect(await app.clicksOf(owner, id)).toBe(4)
  })

  test('rejects malicious raw paths', async ({ app, make, owner }) => {
    const { alias } = await make.link(owner, { url, forwardPath: true })
    await app.listen()
    const hostilePaths = [
      '..',
      '../x',
      'a/../../x',
      '%2e%2e/x',
      '%2e./x',
      '%252e%252e/x',
      '..%2fx',
      '//evil.example',
      'a//b',
      '\\..\\x',
      '..%5cx',
      '..;/x',
      '%00',
      'a'.repeat(8192),
    ]
    const get = async (path: string) => {
      const head = `GET /${alias}/${path} HTTP/1.1\r\nHost: brev.test\r\nConnection: close\r\n\r\n`
      const [reply] = (await sendRaw(app.port(), head)).replies
      return [path, reply?.headers.location ?? reply?.status]
    }
    for (const path of hostilePaths) expect(await get(path)).toEqual([path, 404])
    // The router rejects invalid UTF-8.
    expect(await get('%c0%ae%c0%ae/x')).toEqual(['%c0%ae%c0%ae/x', 400])
    expect(await get('caf%C3%A9')).toEqual(['caf%C3%A9', `${url}/caf%C3%A9`])
  })

  test('does not affect the service’s own paths', async ({ visit }) => {
    for (const path of ['/api/nothing', '/console/nothing', '/qr/a/b', '/docs/nothing/x']) {
      expect([path, await visit(path)]).not.toEqual([path, 302])
    }
  })
})

test('a domain’s defaults apply immediately to links without their own setting', async ({
  app,
  make,
  owner,
  visit,
}) => {
  const { id, host } = await make.domain(owner, { forwardQuery: true, forwardPath: true })
  const withDefaults = await make.link(owner, { url, domain: host })
  const withoutForwarding = await make.link(owner, {
    url,
    domain: host,
    forwardQuery: false,
    forwardPath: false,
  })
  expect(await visit(`/${withDefaults.alias}/a?b=1`, host)).toBe(`${url}/a?b=1`)
  expect(await visit(`/${withoutForwarding.alias}?b=1`, host)).toBe(url)
  expect(await visit(`/${withoutForwarding.alias}/a`, host)).toBe(404)
  const { services } = app
  await updateDomain(scopeOf(services, owner.account.id), id, { forwardPath: false })
  expect(await visit(`/${withDefaults.alias}?b=1`, host)).toBe(`${url}?b=1`)
  expect(await visit(`/${withDefaults.alias}/a`, host)).toBe(404)
})

test('the API creates, shows, changes, and clears forwardQuery and forwardPath', async ({
  owner,
  request,
}) => {
  const { headers } = owner
  const call = async (method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) =>
    (await request({ method, url: `/api${path}`, headers, ...(payload && { payload }) })).json()
  const { id } = await call('POST', '/url/add', { url, forwardQuery: true, forwardPath: false })
  const readDetails = async () => (await call('GET', `/url/${id}`)).details
  expect(await readDetails()).toMatchObject({ forwardQuery: true, forwardPath: false })
  await call('PUT', `/url/${id}/update`, { url, forwardQuery: false, forwardPath: '' })
  expect(await readDetails()).toMatchObject({ forwardQuery: false })
  expect(await readDetails()).not.toHaveProperty('forwardPath')
  const rejection = await call('POST', '/url/add', { url, forwardQuery: 'maybe' })
  expect(rejection.message).toContain('forwardQuery')
  const domain = await call('POST', '/domain/add', { domain: 'https://f.test', forwardPath: true })
  const { domains } = (await call('GET', '/domains')).data
  expect(domains).toContainEqual(expect.objectContaining({ id: domain.id, forwardPath: true }))
})
