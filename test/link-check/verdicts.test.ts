import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect } from 'vitest'
import { DAY, linkCheckTest } from '../support/link-check-test.ts'

const test = linkCheckTest()

const respondWith =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end()
const rejectHead: RequestListener = ({ method }, response) =>
  response.writeHead(method === 'HEAD' ? 405 : 200).end('a page')

/** Rejects HEAD, and responds to GET with text that never ends. */
function sendEndlessPage(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'HEAD') return void response.writeHead(405).end()
  response.on('error', () => {})
  const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
  response.on('close', () => clearInterval(timer))
}

test.for<[string, RequestListener, string[]]>([
  ['responds', respondWith(200), ['HEAD']],
  ['rejects HEAD', rejectHead, ['HEAD', 'GET']],
  ['has an endless page', sendEndlessPage, ['HEAD', 'GET']],
  [
    'fails only for HEAD',
    ({ method }, response) => response.writeHead(method === 'HEAD' ? 500 : 200).end(),
    ['HEAD', 'GET'],
  ],
  ['requires a login', respondWith(401), ['HEAD', 'GET']],
  ['rejects programs', respondWith(403), ['HEAD', 'GET']],
  ['redirects to an app', respondWith(302, { location: 'intent://open#Intent;end' }), ['HEAD']],
])(
  'a destination that %s works',
  async ([_, page, methods], { checker, make, owner, site, getStoredCheck }) => {
    const { url, path } = site.page(page)
    const { id } = await make.link(owner, { url })
    await checker.check()
    expect(await getStoredCheck(id)).toEqual({
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
  ['is not found', 'not_found', respondWith(404)],
  ['is gone', 'not_found', respondWith(410)],
  ['fails', 'server_error', respondWith(500)],
  ['is unavailable without a retry time', 'server_error', respondWith(503)],
  ['never responds', 'timeout', () => {}],
  ['disconnects', 'unreachable', ({ socket }) => socket.destroy()],
  ['sends endless headers', 'bad_response', ({ socket }) => sendHeaders(socket, 8000, 1)],
  ['drips its headers', 'timeout', ({ socket }) => sendHeaders(socket, 1, 100)],
  [
    'redirects endlessly',
    'too_many_redirects',
    ({ url }, response) => response.writeHead(302, { location: url }).end(),
  ],
  ['redirects to an invalid URL', 'bad_response', respondWith(301, { location: 'http://' })],
])(
  'a destination that %s fails with %s',
  async ([_, problem, page], { checker, make, owner, site, getStoredCheck }) => {
    const { url } = site.page(page)
    const { id } = await make.link(owner, { url })
    await checker.check()
    expect(await getStoredCheck(id)).toEqual({
      problem,
      destination: url,
      failing: true,
      broken: false,
      postponed: false,
    })
  },
)

/** Sends one header after another until the connection ends. */
function sendHeaders(socket: Socket, length: number, everyMs: number): void {
  socket.write('HTTP/1.1 200 OK\r\n')
  const timer = setInterval(() => socket.write(`x: ${'y'.repeat(length)}\r\n`), everyMs)
  socket.on('error', () => {}).on('close', () => clearInterval(timer))
}

test('a redirect fails or works like its target', async ({
  checker,
  make,
  owner,
  site,
  getStoredCheck,
}) => {
  const missingPage = site.page(respondWith(404))
  const workingPage = site.page()
  const redirectTo = (location: string) => site.page(respondWith(302, { location }))
  const brokenLink = await make.link(owner, { url: redirectTo(missingPage.url).url })
  const workingLink = await make.link(owner, { url: redirectTo(workingPage.url).url })
  await checker.check()
  expect(await getStoredCheck(brokenLink.id)).toMatchObject({ problem: 'not_found', failing: true })
  expect(await getStoredCheck(workingLink.id)).toMatchObject({ problem: null, failing: false })
  expect(site.requests(workingPage.path)).toEqual([`HEAD ${workingPage.path}`])
})

test('an unknown host, a closed port and a private address are unreachable', async ({
  checker,
  make,
  owner,
  getStoredCheck,
}) => {
  const unknownHostLink = await make.link(owner, { url: 'http://gone.unknown.example/' })
  const closedPortLink = await make.link(owner, { url: 'http://closed.example:1025/' })
  const privateLink = await make.link(owner, { url: 'http://10.1.2.3/' })
  await checker.check()
  for (const { id } of [unknownHostLink, closedPortLink, privateLink]) {
    expect(await getStoredCheck(id)).toMatchObject({ problem: 'unreachable', failing: true })
  }
})

test('a destination on a port that must not be requested does not count as failing', async ({
  checker,
  make,
  owner,
  getStoredCheck,
}) => {
  const { id } = await make.link(owner, { url: 'http://mail.example:25/' })
  await checker.check()
  expect(await getStoredCheck(id)).toMatchObject({ failing: false })
})

test('the destinations of rules and variants are checked, too', async ({
  checker,
  make,
  owner,
  site,
  getStoredCheck,
}) => {
  const workingPage = site.page()
  const missingPage = site.page(respondWith(404))
  for (const [index, fields] of [
    { rules: [{ when: { country: 'DE' }, to: missingPage.url }] },
    {
      split: [
        { to: workingPage.url, weight: 1 },
        { to: missingPage.url, weight: 1 },
      ],
    },
  ].entries()) {
    const { id } = await make.link(owner, { url: workingPage.url, ...fields })
    await checker.check()
    const expected = { problem: 'not_found', destination: missingPage.url }
    expect([index, await getStoredCheck(id)]).toEqual([index, expect.objectContaining(expected)])
  }
})

test('a busy server (429) is checked again at the requested time, and its link is not failing', async ({
  app: { clock },
  checker,
  make,
  owner,
  site,
  getStoredCheck,
}) => {
  const busyPage = site.page(respondWith(429, { 'retry-after': '600' }))
  const { id } = await make.link(owner, { url: busyPage.url })
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await checker.check()
    expect(await getStoredCheck(id)).toMatchObject({ failing: false, postponed: true })
    expect(site.requests(busyPage.path)).toHaveLength(attempt)
    clock.advance(599)
    await checker.check()
    expect(site.requests(busyPage.path)).toHaveLength(attempt)
    clock.advance(1)
  }
})

test('an unavailable server (503) fails only if it is still unavailable at the requested time', async ({
  app: { clock },
  checker,
  make,
  owner,
  site,
  getStoredCheck,
}) => {
  const unavailable = site.page(respondWith(503, { 'retry-after': '600' }))
  const { id } = await make.link(owner, { url: unavailable.url })
  await checker.check()
  expect(await getStoredCheck(id)).toMatchObject({ failing: false, postponed: true })
  expect(site.requests(unavailable.path)).toEqual([`HEAD ${unavailable.path}`])
  clock.advance(600)
  await checker.check()
  expect(await getStoredCheck(id)).toMatchObject({ failing: true, problem: 'server_error' })
  site.set(unavailable.path, respondWith(200))
  clock.advance(DAY)
  await checker.check()
  expect(await getStoredCheck(id)).toMatchObject({ failing: false, postponed: false })
})
