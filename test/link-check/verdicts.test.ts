import type { RequestListener } from 'node:http'
import { expect } from 'vitest'
import { DAY, linkCheckTest } from '../support/link-check-test.ts'

const test = linkCheckTest()

const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end()
const onlyGet: RequestListener = ({ method }, response) =>
  response.writeHead(method === 'HEAD' ? 405 : 200).end('a page')

test.for<[string, RequestListener, string[]]>([
  ['responds', status(200), ['HEAD']],
  ['rejects HEAD', onlyGet, ['HEAD', 'GET']],
  [
    'fails only for HEAD',
    ({ method }, r) => r.writeHead(method === 'HEAD' ? 500 : 200).end(),
    ['HEAD', 'GET'],
  ],
  ['requires a login', status(401), ['HEAD', 'GET']],
  ['rejects programs', status(403), ['HEAD', 'GET']],
  ['redirects to an app', status(302, { location: 'intent://open#Intent;end' }), ['HEAD']],
])(
  'a destination that %s works',
  async ([_, page, methods], { checker, make, owner, site, stored }) => {
    const { url, path } = site.page(page)
    const { id } = await make.link(owner, { url })
    await checker.check()
    expect(await stored(id)).toEqual({
      problem: null,
      destination: null,
      failing: false,
      broken: false,
      postponed: false,
    })
    expect(site.requests(path)).toEqual(methods.map((method) => `${method} ${path}`))
  },
)

test.for<[string, string, RequestListener]>([
  ['is not found', 'not_found', status(404)],
  ['is gone', 'not_found', status(410)],
  ['fails', 'server_error', status(500)],
  ['is unavailable without a retry time', 'server_error', status(503)],
  ['never responds', 'timeout', () => {}],
  ['disconnects', 'unreachable', ({ socket }) => socket.destroy()],
  [
    'redirects endlessly',
    'too_many_redirects',
    ({ url }, r) => r.writeHead(302, { location: url }).end(),
  ],
  ['redirects to an invalid URL', 'bad_response', status(301, { location: 'http://' })],
])(
  'a destination that %s fails with %s',
  async ([_, problem, page], { checker, make, owner, site, stored }) => {
    const { url } = site.page(page)
    const { id } = await make.link(owner, { url })
    await checker.check()
    expect(await stored(id)).toEqual({
      problem,
      destination: url,
      failing: true,
      broken: false,
      postponed: false,
    })
  },
)

test('a redirect is judged by its target', async ({ checker, make, owner, site, stored }) => {
  const missing = site.page(status(404))
  const working = site.page()
  const to = (location: string) => site.page(status(302, { location }))
  const broken = await make.link(owner, { url: to(missing.url).url })
  const workingLink = await make.link(owner, { url: to(working.url).url })
  await checker.check()
  expect(await stored(broken.id)).toMatchObject({ problem: 'not_found', failing: true })
  expect(await stored(workingLink.id)).toMatchObject({ problem: null, failing: false })
  expect(site.requests(working.path)).toEqual([`HEAD ${working.path}`])
})

test('an unknown host and a closed port fail', async ({ checker, make, owner, stored }) => {
  const unknown = await make.link(owner, { url: 'http://gone.unknown.example/' })
  const closed = await make.link(owner, { url: 'http://closed.example:1025/' })
  const private_ = await make.link(owner, { url: 'http://10.1.2.3/' })
  await checker.check()
  for (const { id } of [unknown, closed, private_]) {
    expect(await stored(id)).toMatchObject({ problem: 'unreachable', failing: true })
  }
})

test('ignores a port that must not be requested', async ({ checker, make, owner, stored }) => {
  const { id } = await make.link(owner, { url: 'http://mail.example:25/' })
  await checker.check()
  expect(await stored(id)).toMatchObject({ failing: false })
})

test('checks the destinations of rules and variants, too', async ({
  checker,
  make,
  owner,
  site,
  stored,
}) => {
  const working = site.page()
  const missing = site.page(status(404))
  for (const [index, fields] of [
    { rules: [{ when: { country: 'DE' }, to: missing.url }] },
    {
      split: [
        { to: working.url, weight: 1 },
        { to: missing.url, weight: 1 },
      ],
    },
  ].entries()) {
    const { id } = await make.link(owner, { url: working.url, ...fields })
    await checker.check()
    const expected = { problem: 'not_found', destination: missing.url }
    expect([index, await stored(id)]).toEqual([index, expect.objectContaining(expected)])
  }
})

test('retries a busy server at the requested time without marking the link as failing', async ({
  app: { clock },
  checker,
  make,
  owner,
  site,
  stored,
}) => {
  const busy = site.page(status(429, { 'retry-after': '600' }))
  const { id } = await make.link(owner, { url: busy.url })
  for (let times = 1; times <= 3; times += 1) {
    await checker.check()
    expect(await stored(id)).toMatchObject({ failing: false, postponed: true })
    expect(site.requests(busy.path)).toHaveLength(times)
    clock.advance(599)
    await checker.check()
    expect(site.requests(busy.path)).toHaveLength(times)
    clock.advance(1)
  }
})

test('a server that is still unavailable at the requested time fails', async ({
  app: { clock },
  checker,
  make,
  owner,
  site,
  stored,
}) => {
  const unavailable = site.page(status(503, { 'retry-after': '600' }))
  const { id } = await make.link(owner, { url: unavailable.url })
  await checker.check()
  expect(await stored(id)).toMatchObject({ failing: false, postponed: true })
  expect(site.requests(unavailable.path)).toEqual([`HEAD ${unavailable.path}`])
  clock.advance(600)
  await checker.check()
  expect(await stored(id)).toMatchObject({ failing: true, problem: 'server_error' })
  site.set(unavailable.path, status(200))
  clock.advance(DAY)
  await checker.check()
  expect(await stored(id)).toMatchObject({ failing: false, postponed: false })
})
