import type { ServerResponse } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts'
import { readApiPages } from '../../src/transfer/api-pages.ts'
import { SourceBusyError, SourceError } from '../../src/transfer/record.ts'
import { startServer } from '../support/http-server.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

const SOURCES = ['bitly', 'kutt', 'shlink', 'yourls'] as const
const DEPTH = 50_000
const HUGE = 'x'.repeat(5000)

/** Values in place of lists, entries and fields. */
const VALUES: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  '',
  '\u0000\ud800',
  HUGE,
  [],
  [null],
  {},
  { length: -1 },
  { toString: 'x', valueOf: null },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
]

const FIELDS = [
  'data links shortUrls result address target shortCode longUrl link long_url id keyword url title',
  'created_at dateCreated timestamp visit_count clicks visitsSummary expire_in meta tags domain',
  'pagination next pagesCount currentPage groups custom_bitlinks archived banned deviceLongUrls',
].flatMap((line) => line.split(' '))

/** Returns an object in which every field that a reader knows has a value of the same kind. */
const fill = (value: unknown) => Object.fromEntries(FIELDS.map((name) => [name, value]))

const BODIES: readonly (readonly [name: string, body: string])[] = [
  ['nested arrays', `{"data":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`],
  ['an unclosed object', '{"data":'.repeat(DEPTH)],
  ['many keys', `{${Array.from({ length: 100_000 }, (_, key) => `"${key}":0`).join()}}`],
  ['a number of 100,000 digits', `{"data":${'9'.repeat(100_000)}}`],
  ...VALUES.flatMap((value, index) => [
    [`value ${index}`, JSON.stringify(fill(value))] as const,
    [
      `entries of value ${index}`,
      JSON.stringify(fill([fill(value), fill([fill(value)])])),
    ] as const,
  ]),
]

const HEADS: readonly (readonly [name: string, reply: (response: ServerResponse) => void])[] = [
  ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['compression', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')],
  ['a negative pause', (response) => response.writeHead(429, { 'retry-after': '-1' }).end()],
  ['a pause of years', (response) => response.writeHead(503, { 'retry-after': '999999' }).end()],
  ['a status of its own', (response) => response.writeHead(418).end()],
]

test.for(SOURCES)(
  'a hostile API in place of %s ends its import, and nothing else',
  async (source) => {
    let respond: (response: ServerResponse) => void = () => {}
    const site = await startServer((_request, response) => respond(response))
    onTestFinished(site.close)
    const outbound = createGuardedFetch({ allow: ['127.0.0.0/8'] })
    onTestFinished(outbound.close)
    const replies = [
      ...BODIES.map(
        ([name, body]) => [name, (response: ServerResponse) => response.end(body)] as const,
      ),
      ...HEADS,
    ]
    for (const [name, reply] of replies) {
      respond = reply
      // Without an answer to retries, whose pauses the test would have to wait for.
      const signal = AbortSignal.timeout(1500)
      const api = { source, from: site.origin, token: 'key' }
      const pages = readApiPages(api, 1, { page: null, rows: 0 } as never, { outbound, signal })
      let rows = 0
      const error = await (async () => {
        for await (const page of pages) {
          rows += page.rows.length
          if (rows > 1000) return undefined
        }
        return undefined
      })().catch((thrown: unknown) => thrown)
      const isExpected =
        error === undefined ||
        error instanceof SourceError ||
        error instanceof SourceBusyError ||
        error === signal.reason
      expect([name, isExpected || String((error as Error)?.stack)]).toEqual([name, true])
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  },
)

test('an API of Bitly that repeats a position ends its import', async () => {
  let requests = 0
  const site = await startServer((request, response) => {
    requests += 1
    const link = { link: 'https://bit.ly/a', long_url: 'https://example.com/' }
    const page = { links: [link], pagination: { search_after: 'again' } }
    response.end(JSON.stringify(request.url === '/v4/groups' ? { groups: [{ guid: 'g' }] } : page))
  })
  onTestFinished(site.close)
  const outbound = createGuardedFetch({ allow: ['127.0.0.0/8'] })
  onTestFinished(outbound.close)
  const api = { source: 'bitly', from: site.origin, token: 'key' } as const
  const pages = readApiPages(api, 1, { page: null, rows: 0 } as never, { outbound })
  await expect(Array.fromAsync(pages)).rejects.toThrow(SourceError)
  expect(requests).toBe(3)
})
