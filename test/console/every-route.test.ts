import { describe, expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { PASSWORD, sessionCookieOf, trySignIn } from '../support/console.ts'
import { createResource, fillPath, pathPrefix } from '../support/console-resources.ts'
import { formOf } from '../support/forms.ts'
import type { Owner } from '../support/make.ts'
import { listRoutes, type TableRoute } from '../support/route-table.ts'
import { appTest } from '../support/test.ts'

/** The public routes. All others require a session. */
const PUBLIC = [
  '/console/sign-in',
  '/console/sign-in/verify',
  '/console/sign-in/verify/passkey',
  '/console/sign-in/passkey',
  '/console/reset-password/:token',
  '/console/forgot-password',
  '/console/invitations/:token',
  '/console/invitations/:token/provider',
  '/console/oidc/start',
  '/console/oidc/callback',
  '/console/forgot-password/sent',
  '/console/unsubscribe/:token',
  '/console/deleted',
  '/console/assets/:version/:name',
]

/**
 * A route that replies with the same redirect for any id, even of another account's session. Its
 * status proves nothing, so test/console/account.test.ts tests that such a session does not end.
 */
const NO_EFFECT = '/console/account/sessions/:id/end'

/** Form fields that some routes require in addition to the token. */
const FIELDS: Readonly<Record<string, object>> = {
  '/console/keys/:id/rotate': { overlap: 'none' },
  '/console/members/:id/role': { role: 'viewer' },
}

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'brevis@brev.test' }

/** An identity provider that is unreachable. */
const PROVIDER = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'brevis' }

const test = appTest({ env: { ...MAIL, ...PROVIDER } })
  .extend('routes', { scope: 'file' }, ({ app }) =>
    listRoutes(app.fastify).filter(({ url }) => /^\/console(?:\/|$)/.test(url)),
  )
  .extend('guarded', { scope: 'file' }, ({ routes }) =>
    routes.filter(({ url }) => !PUBLIC.includes(url)),
  )

/** Returns a browser signed in as an owner. `send` adds the form token by default. */
async function openBrowser(app: TestApp, { account }: Owner) {
  const cookie = `brevis_session=${await createSession(scopeOf(app.services, account.id))}`
  const { csrf } = formOf(await app.request({ url: '/console', headers: { cookie } }))
  const send = ({ method, url }: TableRoute, fields: object = { csrf }, headers: object = {}) =>
    request(app, { method, url }, { ...fields }, { cookie, ...headers })
  return { cookie, csrf, send }
}

function request(app: TestApp, { method, url }: TableRoute, fields: object, headers: object) {
  return app.request({
    method: method as 'GET',
    url,
    headers: {
      ...headers,
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(method === 'POST' && { payload: new URLSearchParams({ ...fields }).toString() }),
  })
}

/** Sends a form with files as multipart. */
function requestFile(app: TestApp, { url }: TableRoute, fields: object, headers: object) {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return app.request({
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
    payload: `${parts.join('')}--x--\r\n`,
  })
}

/** Tries every route and returns the problems that `attempt` reports. */
async function findProblems(
  routes: readonly TableRoute[],
  attempt: (route: TableRoute) => Promise<string | undefined>,
): Promise<string[]> {
  const problems: string[] = []
  for (const route of routes) {
    const problem = await attempt(route)
    if (problem !== undefined) problems.push(`${route.method} ${route.url}: ${problem}`)
  }
  return problems
}

const postRoutes = (routes: readonly TableRoute[]) =>
  routes.filter(({ method }) => method === 'POST')

/** Fills a route's parameters with a dummy id, for requests that are rejected before the id is used. */
const withDummyIds = ({ method, url }: TableRoute) => ({ method, url: url.replace(/:\w+/g, '1') })

test('the console has only GET, HEAD and POST routes', ({ routes }) => {
  expect(new Set(routes.map(({ method }) => method))).toEqual(new Set(['GET', 'HEAD', 'POST']))
  expect(routes.map(({ url }) => url)).toEqual(expect.arrayContaining(PUBLIC))
})

test('every route redirects signed-out visitors to the sign-in form', async ({ app, guarded }) => {
  // The page for all other paths does not exist for them either.
  const pages = guarded.filter(({ url }) => !url.endsWith('/*'))
  for (const cookie of ['', `brevis_session=${'A'.repeat(43)}`, 'brevis_session=%00']) {
    const problems = await findProblems(pages, async (route) => {
      const { url, method } = withDummyIds(route)
      const reply = await request(app, { url: `${url}?q=1`, method }, {}, { cookie })
      const { location } = reply.headers
      const next = method === 'POST' ? '/console' : `${url}?q=1`
      const path = next === '/console' ? '' : `?${new URLSearchParams({ next })}`
      if (reply.statusCode === 303 && location === `/console/sign-in${path}`) return undefined
      return `${reply.statusCode} ${location}`
    })
    expect(problems).toEqual([])
  }
})

describe('rejects a form', () => {
  test("without a token or with another session's", async ({ app, owner, guarded }) => {
    const browser = await openBrowser(app, owner)
    const other = await openBrowser(app, owner)
    for (const fields of [{}, { csrf: other.csrf }, { csrf: `${browser.csrf}x` }]) {
      const problems = await findProblems(postRoutes(guarded), async (route) => {
        const form = withDummyIds(route)
        let reply = await browser.send(form, fields)
        if (reply.statusCode === 415) {
          reply = await requestFile(app, form, fields, { cookie: browser.cookie })
        }
        return reply.statusCode === 403 ? undefined : String(reply.statusCode)
      })
      expect(problems).toEqual([])
    }
  })

  test('from another site, even with the token', async ({ app, owner, routes }) => {
    const browser = await openBrowser(app, owner)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const problems = await findProblems(postRoutes(routes), async (route) => {
        const reply = await browser.send(withDummyIds(route), { csrf: browser.csrf }, headers)
        return reply.statusCode === 403 ? undefined : String(reply.statusCode)
      })
      expect(problems).toEqual([])
    }
    expect((await browser.send({ method: 'GET', url: '/console' })).statusCode).toBe(200)
  })
})

test('the console is not served on a branded domain', async ({ app, make, owner, routes }) => {
  await make.domain(owner, { domain: 'https://go.test' })
  const browser = await openBrowser(app, owner)
  for (const host of ['go.test', 'unknown.test']) {
    const problems = await findProblems(routes, async (route) => {
      const fields = { csrf: browser.csrf }
      const reply = await browser.send(withDummyIds(route), fields, { host })
      const { 'set-cookie': cookie, location } = reply.headers
      if (reply.statusCode === 404 && !cookie && !location) return undefined
      return `${reply.statusCode} ${location} ${cookie}`
    })
    expect(problems).toEqual([])
  }
})

describe("another account's resources", () => {
  test('return 404 on every route to everyone but their owner', async ({ app, make, guarded }) => {
    const resourceRoutes = guarded.filter(
      ({ url }) => pathPrefix(url) !== undefined && !isOperatorRoute(url) && url !== NO_EFFECT,
    )
    const prefixes = new Set(resourceRoutes.map(({ url }) => pathPrefix(url)))
    const problems: string[] = []
    for (const prefix of prefixes) {
      // A new account for each kind, because an account may send a limited number of forms per
      // minute.
      const owner = await make.owner()
      const browser = await openBrowser(app, owner)
      const otherOwner = await openBrowser(app, await make.owner())
      const routesOfKind = resourceRoutes.filter(({ url }) => pathPrefix(url) === prefix)
      problems.push(
        ...(await findProblems(routesOfKind, async ({ method, url }) => {
          const ids = await createResource(app, owner, url)
          const path = { method, url: fillPath(url, ids) }
          const rejected = (await otherOwner.send(path, { csrf: otherOwner.csrf, ...FIELDS[url] }))
            .statusCode
          const allowed = (await browser.send(path, { csrf: browser.csrf, ...FIELDS[url] }))
            .statusCode
          if (rejected === 404 && allowed !== 404 && allowed < 500) return undefined
          return `${rejected} for another owner, ${allowed} for its owner`
        })),
      )
    }
    expect(problems).toEqual([])
  })

  test('are indistinguishable from unknown and invalid ids, which return 404 or 400', async ({
    app,
    owner,
    guarded,
  }) => {
    const browser = await openBrowser(app, owner)
    const pages = guarded.filter(
      ({ url, method }) => method === 'GET' && pathPrefix(url) !== undefined,
    )
    for (const id of ['999999999', '0', '-1', '1e3', '9'.repeat(30), '%00', '%F0%9F%91%8D', 'x']) {
      const problems = await findProblems(pages, async ({ method, url }) => {
        const reply = await browser.send({ method, url: url.replace(/:\w+/g, id) })
        return reply.statusCode === 404 || reply.statusCode === 400
          ? undefined
          : String(reply.statusCode)
      })
      expect(problems).toEqual([])
    }
  })
})

test('admin routes return 404 or 403 to other users', async ({ app, make, owner, guarded }) => {
  const operator = await openBrowser(app, owner)
  const path = { method: 'GET', url: '/console/operator/accounts' }
  expect((await operator.send(path)).statusCode).toBe(200)
  const browser = await openBrowser(app, await make.owner())
  const problems = await findProblems(
    guarded.filter(({ url }) => isOperatorRoute(url)),
    async (route) => {
      const { statusCode } = await browser.send(withDummyIds(route))
      return statusCode === 404 || statusCode === 403 ? undefined : String(statusCode)
    },
  )
  expect(problems).toEqual([])
})

function isOperatorRoute(url: string): boolean {
  return /^\/console\/operator(?:\/|$)/.test(url)
}

test('GET requests change nothing', async ({ app, owner, routes }) => {
  const browser = await openBrowser(app, owner)
  const pagePaths = new Set(routes.filter(({ method }) => method === 'GET').map(({ url }) => url))
  const forms = postRoutes(routes).filter(({ url }) => !pagePaths.has(url))
  const problems = await findProblems(forms, async ({ url }) => {
    const path = withDummyIds({ method: 'GET', url: `${url}?csrf=${browser.csrf}` })
    const { statusCode } = await browser.send(path)
    return statusCode === 404 || statusCode === 405 ? undefined : String(statusCode)
  })
  expect(problems).toEqual([])
  expect((await browser.send({ method: 'GET', url: '/console' })).statusCode).toBe(200)
})

test.for([
  'https://evil.example/console',
  '//evil.example/console',
  '/\\evil.example/console',
  '/\t/evil.example/console',
  '/console/..//evil.example',
  '/console/../api/account',
  '/console@evil.example',
  '/consoles',
  'javascript:alert(1)',
  'http://brev.test@evil.example/console',
  '\u0000/console',
])('signing in does not redirect to %j', async (next, { app, make }) => {
  const { account } = await make.owner()
  const address = newAddress()
  const reply = await trySignIn(
    app,
    { email: account.email, password: PASSWORD, next },
    { address },
  )
  expect(reply.statusCode).toBe(303)
  expect(reply.headers.location).toBe('/console')
  const secondReply = await app.request({
    url: `/console/sign-in?${new URLSearchParams({ next })}`,
    headers: { cookie: sessionCookieOf(reply) },
  })
  expect([secondReply.statusCode, secondReply.headers.location]).toEqual([303, '/console'])
})
