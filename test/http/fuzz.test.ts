import fc from 'fast-check'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import {
  hostileCall,
  hostileLegacyCall,
  hostileVisit,
  hostileYourlsCall,
} from '../support/hostile.ts'
import { readXml } from '../support/legacy-api.ts'
import { appTest } from '../support/test.ts'
import { parseYourlsXml } from '../support/yourls.ts'

const SEED = 20_261_123
/** Thousands of requests per kind: `FUZZ_THOUSANDS`, or the default for each test run. */
const REQUEST_THOUSANDS = Number(createChildEnvironment({}).FUZZ_THOUSANDS ?? 2)
/** The total time limit in milliseconds. */
const timeout = 240_000 + REQUEST_THOUSANDS * 20_000
/** Fewer than the database's connections, so that no request waits for one. */
const CONCURRENCY = 8
/** The limit of this thread's processor time during a request, whatever else the machine does. */
const MAX_CPU_MS = 2000

const logLines: string[] = []

const logTo = { write: (line: string) => void logLines.push(line) }

const test = appTest({ env: { LOG_LEVEL: 'error' }, logTo }).extend(
  'fuzzing',
  { scope: 'file' },
  async ({ app, make }) => {
    const otherOwner = await make.owner()
    await make.domain(otherOwner, {
      domain: 'https://brand.test',
      redirect404: 'https://example.com/',
    })
    const aliases = await makeLinks()
    async function makeLinks(): Promise<string[]> {
      const { id: splash } = await make.splash(otherOwner)
      const { id: overlay } = await make.overlay(otherOwner, { type: 'contact' })
      const links = await Promise.all([
        make.link(otherOwner, { alias: 'plain' }),
        make.link(otherOwner, { alias: 'toggled' }),
        make.link(otherOwner, { alias: 'żółć', url: 'https://example.com/ż' }),
        make.link(otherOwner, { alias: 'locked', password: 'correct horse' }),
        make.link(otherOwner, { alias: 'framed', type: 'frame' }),
        make.link(otherOwner, { alias: 'splashed', type: String(splash) }),
        make.link(otherOwner, { alias: 'overlaid', type: `overlay-${overlay}` }),
        make.link(otherOwner, {
          alias: 'targeted',
          geoTargets: [{ location: 'France', link: 'https://example.com/fr' }],
          deviceTargets: [{ device: 'iphone', link: 'https://example.com/iphone' }],
          languageTargets: [{ language: 'de', link: 'https://example.com/de' }],
          parameters: [{ name: 'a b', value: '&#' }],
        }),
      ])
      return links.map(({ alias }) => encodeURIComponent(alias))
    }
    /**
     * Sends requests concurrently and checks every reply. Returns the number of replies per status.
     */
    async function sendAll(requests: InjectOptions[], check: Check): Promise<Map<number, number>> {
      const counts = new Map<number, number>()
      const queue = requests.values()
      async function send() {
        for (const request of queue) {
          const before = process.threadCpuUsage()
          const reply = await app.fastify.inject({
            remoteAddress: '203.0.113.7',
            ...request,
            headers: { host: 'brev.test', ...request.headers },
          })
          const { user } = process.threadCpuUsage(before)
          counts.set(reply.statusCode, (counts.get(reply.statusCode) ?? 0) + 1)
          try {
            expect(reply.statusCode).toBeLessThan(500)
            expect(user / 1000).toBeLessThan(MAX_CPU_MS)
            check(request, reply)
          } catch (error) {
            const sent = JSON.stringify(request).slice(0, 1500)
            const received = `${reply.statusCode} ${JSON.stringify(reply.headers)} ${reply.body.slice(0, 300)}`
            throw new Error(`${sent}\ngot the reply\n${received}`, { cause: error })
          }
        }
      }
      await Promise.all(Array.from({ length: CONCURRENCY }, send))
      console.info('replies by status:', Object.fromEntries([...counts].sort(([a], [b]) => a - b)))
      return counts
    }
    function checkApi({ method, url }: InjectOptions, reply: LightMyRequestResponse): void {
      for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
        expect(reply.headers[header]).toMatch(/^\d+$/)
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.headers['access-control-allow-origin']).toBe('*')
      if (method === 'HEAD' || reply.statusCode === 204) {
        expect(reply.body).toBe('')
        return
      }
      const { pathname: path } = new URL(String(url), app.baseUrl)
      if (!path.startsWith('/api/v1/')) {
        const { error, message } = reply.json()
        if (reply.statusCode === 200) expect(Number(error)).toBe(0)
        else expect([error, typeof message]).toEqual([1, 'string'])
        return
      }
      const isXml = path.endsWith('.xml')
      expect(reply.headers['content-type']).toMatch(isXml ? /^text\/xml/ : /^application\/json/)
      const { code, data } = isXml ? readXml(reply.body) : reply.json()
      expect(Number(code)).toBe(reply.statusCode)
      expect(data.date_time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    }
    function checkPage(request: InjectOptions, reply: LightMyRequestResponse): void {
      if (/^\/api(\/|$)/.test(new URL(String(request.url), app.baseUrl).pathname)) {
        checkApi(request, reply)
        return
      }
      const { location } = reply.headers
      if (location !== undefined) expect(String(location)).toMatch(/^(https?:\/\/|\/)[!-~]*$/)
      if (!String(reply.headers['content-type']).startsWith('text/html')) return
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.headers['content-security-policy']).toMatch(/frame-ancestors 'none'|default-src/)
    }
    return { sendAll, checkApi, otherOwner, aliases, checkPage }
  },
)

// The minimum counts verify that the generated calls cover accepted and rejected ones.
test('the JSON API replies to malicious calls in its envelope', { timeout }, async ({
  app,
  owner,
  fuzzing: { sendAll, checkApi },
}) => {
  const operations = app.contract.operations.filter(({ path }) => !path.startsWith('/api/v1/'))
  const callsByOperation = operations.map((operation) => hostileCall(operation, owner.key))
  const calls = fc.constantFrom(...callsByOperation).chain((call) => call)
  const counts = await sendAll(
    fc.sample(calls, { numRuns: REQUEST_THOUSANDS * 1000, seed: SEED }),
    checkApi,
  )
  expect(counts.get(200)).toBeGreaterThan(REQUEST_THOUSANDS * 111)
  expect(counts.get(400)).toBeGreaterThan(REQUEST_THOUSANDS * 111)
})

test('the legacy API replies to malicious calls in its envelope and the requested format', {
  timeout,
}, async ({ fuzzing: { otherOwner, sendAll, checkApi } }) => {
  const calls = fc.sample(hostileLegacyCall(otherOwner.key), {
    numRuns: REQUEST_THOUSANDS * 1000,
    seed: SEED,
  })
  const counts = await sendAll(calls, checkApi)
  expect(counts.get(200)).toBeGreaterThan(REQUEST_THOUSANDS * 50)
  expect(counts.get(400)).toBeGreaterThan(REQUEST_THOUSANDS * 167)
})

test('the YOURLS API replies to malicious calls with a status that matches the body', {
  timeout,
}, async ({ fuzzing: { otherOwner, sendAll } }) => {
  const calls = fc.sample(hostileYourlsCall(otherOwner.key), {
    numRuns: REQUEST_THOUSANDS * 1000,
    seed: SEED,
  })
  const counts = await sendAll(calls, checkYourls)
  expect(counts.get(200)).toBeGreaterThan(REQUEST_THOUSANDS * 167)
  expect(counts.get(400)).toBeGreaterThan(REQUEST_THOUSANDS * 67)
  expect(counts.get(403)).toBeGreaterThan(REQUEST_THOUSANDS * 33)
})

test('malicious visits get valid pages or redirects', { timeout }, async ({
  fuzzing: { aliases, sendAll, checkPage },
}) => {
  const visits = fc.sample(hostileVisit(aliases), { numRuns: REQUEST_THOUSANDS * 1000, seed: SEED })
  const counts = await sendAll(visits, checkPage)
  expect(counts.get(302)).toBeGreaterThan(REQUEST_THOUSANDS * 20)
  expect(counts.get(404)).toBeGreaterThan(REQUEST_THOUSANDS * 100)
})

test('the malicious calls cause no internal errors, and the server still responds', async ({
  owner,
  request,
}) => {
  expect(logLines).toEqual([])
  const created = await request({
    method: 'POST',
    url: '/api/url/add',
    headers: owner.headers,
    payload: { url: 'https://example.com/after', custom: 'after' },
  })
  expect(created.json()).toMatchObject({ error: 0 })
  expect((await request({ url: '/after' })).headers.location).toBe('https://example.com/after')
})

type Check = (request: InjectOptions, reply: LightMyRequestResponse) => void

function checkYourls({ method }: InjectOptions, reply: LightMyRequestResponse): void {
  for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    expect(reply.headers[header]).toMatch(/^\d+$/)
  expect(reply.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  })
  if (method === 'HEAD' || method === 'OPTIONS') return
  expect(reply.headers['referrer-policy']).toBe('no-referrer')
  switch (String(reply.headers['content-type']).split(';')[0]) {
    case 'application/json':
      expect(statusOf(reply.json())).toBe(reply.statusCode)
      break
    case 'application/xml':
      expect(statusOf(parseYourlsXml(reply.body))).toBe(reply.statusCode)
      break
    case 'application/javascript':
      expect(reply.body).toMatch(/^\/\*\*\/[\w$.[\]]+\(\{.*\}\)$/)
      break
    default:
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
  }
}

function statusOf({ statusCode, errorCode }: Record<string, unknown>): number {
  return Number(statusCode || errorCode || 200)
}
