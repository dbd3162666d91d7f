import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { anyCharacter } from '../support/any-character.ts'
import { hostileSegments } from '../support/hostile-values.ts'
import { callLegacyApi } from '../support/legacy-api.ts'
import { type RawReply, sendRaw } from '../support/raw-http.ts'
import { appTest } from '../support/test.ts'

const SEED = 20_261_123
const CONCURRENCY = 8
/** The limit of this thread's processor time during a request, whatever else the machine does. */
const MAX_CPU_MS = 2000

const logLines: string[] = []

const logTo = { write: (line: string) => void logLines.push(line) }

const test = appTest({ env: { LOG_LEVEL: 'error' }, logTo }).extend(
  'wire',
  { scope: 'file' },
  async ({ app, make, owner }) => {
    const auth = `Authorization: Bearer ${owner.key}`
    await make.link(owner, { alias: 'plain' })
    await app.listen()
    const exchangeRaw = (bytes: string | Buffer) => sendRaw(app.port(), bytes)
    /**
     * Returns a generator of requests with malformed lines, lengths, chunks or bytes, which no HTTP
     * client would send.
     */
    function createPackets() {
      const target = fc.oneof(
        fc.constantFrom(
          '/api/account',
          '/api/url/add',
          '/api/urls?limit=1',
          '/plain',
          '/',
          '/register',
          '*',
        ),
        fc.constantFrom(
          'http://brev.test/api/account',
          'http://evil.test/plain',
          'brev.test:80',
          '//plain',
        ),
        fc
          .constantFrom(...hostileSegments, '..', '.', '\\', '\u00e4', '\t', ' ', '#', '?')
          .map((segment) => `/${segment}`),
        fc
          .constantFrom(...hostileSegments, '../..', '\\..', '\u00ff')
          .map((segment) => `/api/url/${segment}`),
        fc
          .constantFrom(...hostileSegments)
          .map((segment) => `/api/v1/${owner.key}/shorturl/info/${segment}.xml`),
      )
      const method = fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('QUERY', 'CONNECT', 'get', 'G\u00c4T', '', 'PRI', 'TRACE'),
        },
      )
      const version = fc.oneof(
        { weight: 8, arbitrary: fc.constant(' HTTP/1.1') },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            '',
            ' HTTP/1.0',
            ' HTTP/0.9',
            ' HTTP/2.0',
            ' HTTP/1.1 ',
            ' http/1.1',
          ),
        },
      )
      const host = fc.oneof(
        { weight: 8, arbitrary: fc.constant('Host: brev.test') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('', 'Host:', 'Host: a\r\nHost: b', 'Host : a', 'Host: \u0000'),
        },
      )
      const header = fc.oneof(
        fc.constantFrom(
          '',
          'Expect: 100-continue',
          'Expect: nonsense',
          'Connection: Upgrade\r\nUpgrade: websocket',
          'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
          'Connection: close, close, x',
          'Content-Type: \u00ff',
          'X\u0000: y',
          'X: \u0001\u007f',
          ' folded: x',
          'no colon',
          ': no name',
          'Cookie: brevis_form=%00; =; ;;',
          `X: ${'x'.repeat(70_000)}`,
          'A: b\r\n'.repeat(3000).trimEnd(),
          `Content-Type: ${'a/'.repeat(3000)}`,
        ),
        fc
          .string({ unit: anyCharacter, maxLength: 30 })
          .map((text) => `X: ${Buffer.from(text).toString('latin1')}`),
      )
      const framed = fc.constantFrom(
        '\r\n\r\n',
        'Content-Length: 2\r\n\r\n{}',
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
        'Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{}',
        'Content-Length: 0002\r\n\r\n{}',
        'Content-Length: +2\r\n\r\n{}',
        'Content-Length: -1\r\n\r\n',
        'Content-Length: 2, 2\r\n\r\n{}',
        'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
        'Content-Length: 18446744073709551617\r\n\r\n{}',
        'Content-Length: 300000\r\n\r\n{}',
        'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
        'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
        'Transfer-Encoding: chunked\r\nTrailer: Host\r\n\r\n2;a=b\r\n{}\r\n0\r\nHost: evil\r\n\r\n',
        'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
        'Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n',
        'Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n',
        'Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n',
        'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
        'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
        '\n\n',
        '\r\r',
      )
      const complete = fc
        .record({ method, target, version, host, header, framed })
        .map(({ framed, ...line }) => {
          const lines = [
            `${line.method} ${line.target}${line.version}`,
            line.host,
            auth,
            line.header,
          ]
          return `${lines.filter(Boolean).join('\r\n')}\r\n${framed.replace(/^\r\n/, '')}`
        })
      const noise = fc
        .uint8Array({ minLength: 1, maxLength: 80 })
        .map((bytes) => Buffer.from(bytes).toString('latin1'))
      const truncated = fc
        .tuple(complete, fc.nat(200))
        .map(([text, length]) => text.slice(0, length))
      return fc.oneof(
        { weight: 10, arbitrary: complete },
        { weight: 1, arbitrary: noise },
        { weight: 1, arbitrary: truncated },
      )
    }
    const requestLocation = async (lines: string) => {
      const { replies } = await exchangeRaw(`${lines}\r\n${LAST_REQUEST}`)
      return replies[0]?.headers.location ?? replies[0]?.status
    }
    return { exchangeRaw, auth, createPackets, requestLocation }
  },
)

/** A final request on the same connection, after which the server closes it. */
const LAST_REQUEST = 'GET /health/live HTTP/1.1\r\nHost: brev.test\r\nConnection: close\r\n\r\n'

test('the server replies to or disconnects 3,000 malformed packets', async ({
  wire: { exchangeRaw, createPackets },
}) => {
  const packets = fc.sample(createPackets(), { numRuns: 3000, seed: SEED })
  const counts = new Map<number | string, number>()
  const queue = packets.values()
  async function send() {
    for (const bytes of queue) {
      const before = process.threadCpuUsage()
      const { replies, rest } = await exchangeRaw(bytes + LAST_REQUEST)
      const { user } = process.threadCpuUsage(before)
      try {
        expect(rest).toBe('')
        expect(user / 1000).toBeLessThan(MAX_CPU_MS)
        for (const reply of replies) checkReply(reply)
        if (/^\w+ (http:\/\/brev.test)?\/api[/?]/.test(bytes) && replies[0]) checkApi(replies[0])
      } catch (error) {
        const received = JSON.stringify(replies).slice(0, 1000)
        throw new Error(`${JSON.stringify(bytes)}\ngot the reply\n${received}`, { cause: error })
      }
      const kind = replies[0]?.status ?? 'hung up'
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, send))
  console.info('first replies by status:', Object.fromEntries(counts))
  expect(counts.get(200)).toBeGreaterThan(50)
  expect(counts.get(400)).toBeGreaterThan(500)
}, 120_000)

function checkReply({ status, headers, body }: RawReply): void {
  expect(status).toBeLessThan(500)
  if (body !== '') expect(headers['x-content-type-options']).toBe('nosniff')
}

function checkApi(reply: RawReply): void {
  const { headers, body, status } = reply
  expect(headers).toMatchObject({
    'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
  })
  if (body === '' || body.startsWith('<?xml')) return
  const { error, code } = JSON.parse(body)
  if (code !== undefined) expect(code).toBe(status)
  else expect(Number(error)).toBe(status === 200 ? 0 : 1)
}

test('the server replies to pipelined requests in order', async ({
  make,
  owner,
  wire: { exchangeRaw },
}) => {
  const aliases = Array.from({ length: 50 }, (_, index) => `pipe${index}`)
  for (const alias of aliases)
    await make.link(owner, { alias, url: `https://example.com/${alias}` })
  const requests = aliases.map((id) => `GET /${id} HTTP/1.1\r\nHost: brev.test\r\n\r\n`)
  const { replies, rest } = await exchangeRaw(requests.join('') + LAST_REQUEST)
  expect(rest).toBe('')
  expect(replies.map(({ headers }) => headers.location)).toEqual([
    ...aliases.map((id) => `https://example.com/${id}`),
    undefined,
  ])
})

test('the server does not treat the content of a body as a request', async ({
  wire: { auth, exchangeRaw },
}) => {
  const hidden = 'GET /api/account HTTP/1.1\r\nHost: brev.test\r\n\r\n'
  const packet = `POST /api/url/add HTTP/1.1\r\nHost: brev.test\r\n${auth}\r\nContent-Type: application/json\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`
  const { replies } = await exchangeRaw(packet + LAST_REQUEST)
  expect(replies.map(({ status }) => status)).toEqual([400])
  expect(replies[0]?.headers.connection).toBe('close')
})

describe('the host of a request', () => {
  test('comes from a single Host header or the request line', async ({
    wire: { requestLocation },
  }) => {
    const target = 'https://example.com/target'
    expect(await requestLocation('GET /plain HTTP/1.1\r\nHost: brev.test\r\n')).toBe(target)
    expect(
      await requestLocation('GET http://brev.test/plain HTTP/1.1\r\nHost: evil.test\r\n'),
    ).toBe(target)
    expect(
      await requestLocation('GET http://evil.test/plain HTTP/1.1\r\nHost: brev.test\r\n'),
    ).toBe(404)
    expect(await requestLocation('GET /plain HTTP/1.1\r\n')).toBe(400)
    expect(
      await requestLocation('GET /plain HTTP/1.1\r\nHost: brev.test\r\nHost: evil.test\r\n'),
    ).toBe(400)
    expect(await requestLocation('GET /plain HTTP/1.0\r\n')).toBe(404)
  })

  test('is required by both APIs, with an error in their envelopes', async ({
    owner,
    wire: { auth, exchangeRaw },
  }) => {
    const path = `/api/v1/${owner.key}/shorturl/list_active_urls.xml`
    for (const [line, expectedStart] of [
      ['GET /api/account HTTP/1.1', '{"error":1,'],
      [`GET ${path} HTTP/1.1`, '<?xml version'],
      ['GET /api/account HTTP/1.1\r\nHost: a\r\nHost: a', '{"error":1,'],
    ]) {
      const { replies } = await exchangeRaw(`${line}\r\n${auth}\r\n\r\n${LAST_REQUEST}`)
      expect(replies[0]?.status).toBe(400)
      expect(replies[0]?.headers['x-ratelimit-limit']).toBe('1000000')
      expect(replies[0]?.body.startsWith(expectedStart ?? '')).toBe(true)
    }
  })
})

test('the server ignores an unknown Expect header', async ({ wire: { auth, exchangeRaw } }) => {
  const { replies } = await exchangeRaw(
    `GET /api/account HTTP/1.1\r\nHost: brev.test\r\n${auth}\r\nExpect: wonders\r\n\r\n${LAST_REQUEST}`,
  )
  expect(replies[0]?.status).toBe(200)
})

test('the malformed packets cause no internal errors, and the server still responds', async ({
  app,
  owner,
  request,
}) => {
  expect(logLines).toEqual([])
  expect((await request({ url: '/plain' })).statusCode).toBe(302)
  expect((await callLegacyApi(app, owner.key, 'list_active_urls.json')).statusCode).toBe(200)
})
