import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { describe, expect } from 'vitest'
import type { Operation } from '../support/contract.ts'
import { hostileValue, mutatedValue, validValue } from '../support/schema-arbitrary.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ owner }) => {
  function requestArbitrary(operation: Operation): fc.Arbitrary<InjectOptions> {
    const id = fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 60 }).map(String) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '0',
          '-1',
          'x',
          '1.5',
          '9007199254740993',
          '%00',
          '%F0%9F%91%8D',
          '1e3',
        ),
      },
    )
    const kind = fc.constantFrom('links', 'bio', 'qr', 'nonsense')
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
    const path = fc
      .tuple(...names.map((name) => (name === 'type' ? kind : id)))
      .map((values) =>
        names.reduce(
          (url, name, index) => url.replace(`{${name}}`, values[index] ?? ''),
          operation.path,
        ),
      )
    const word = fc.oneof(
      fc.constantFrom('1', '2', '15', '1000', 'date', 'click', '0', '-1', ''),
      fc.string(),
    )
    const queryNames = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => name)
    const query = fc
      .array(fc.tuple(fc.constantFrom('limit', ...queryNames, 'other'), word), { maxLength: 3 })
      .map((pairs) =>
        pairs
          .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
          .join('&'),
      )
    const schema = operation.requestBody ? readBodySchema(operation) : undefined
    const payload = schema
      ? fc.oneof(validValue(schema), mutatedValue(schema))
      : fc.option(hostileValue, { nil: undefined, freq: 5 })
    return fc.record({ path, query, payload }).map((created) => ({
      method: operation.method as 'GET',
      url: created.query ? `${created.path}?${created.query}` : created.path,
      headers: {
        ...owner.headers,
        ...(created.payload !== undefined && { 'content-type': 'application/json' }),
      },
      ...(created.payload !== undefined &&
        operation.method !== 'GET' && { payload: JSON.stringify(created.payload) }),
    }))
  }
  return { requestArbitrary }
})

test('the description contains exactly the operations of the JSON API', ({ app }) => {
  const described = app.contract.operations
    .filter(({ path }) => !path.startsWith('/api/v1/'))
    .map(({ method, path }) => `${method} ${path}`)
    .sort()
  expect(described).toEqual(
    [
      'GET /api/account',
      'POST /api/account',
      'PUT /api/account/update',
      'GET /api/domains',
      'GET /api/domain/{id}',
      'POST /api/domain/add',
      'PUT /api/domain/{id}/update',
      'DELETE /api/domain/{id}/delete',
      'GET /api/overlay',
      'GET /api/overlay/{id}',
      'POST /api/overlay/add',
      'PUT /api/overlay/{id}/update',
      'DELETE /api/overlay/{id}/delete',
      'GET /api/splash',
      'GET /api/splash/{id}',
      'POST /api/splash/add',
      'PUT /api/splash/{id}/update',
      'DELETE /api/splash/{id}/delete',
      'GET /api/bio',
      'GET /api/bio/{id}',
      'POST /api/bio/add',
      'PUT /api/bio/{id}/update',
      'DELETE /api/bio/{id}/delete',
      'GET /api/campaigns',
      'POST /api/campaign/add',
      'POST /api/campaign/{campaignid}/assign/{linkid}',
      'PUT /api/campaign/{id}/update',
      'DELETE /api/campaign/{id}/delete',
      'GET /api/channels',
      'GET /api/channel/{id}',
      'POST /api/channel/add',
      'POST /api/channel/{channelid}/assign/{type}/{itemid}',
      'PUT /api/channel/{id}/update',
      'DELETE /api/channel/{id}/delete',
      'GET /api/urls',
      'GET /api/url/{id}',
      'GET /api/url/{id}/versions',
      'POST /api/url/{id}/versions/{version}/restore',
      'POST /api/url/add',
      'POST /api/urls/add',
      'PUT /api/url/{id}/update',
      'DELETE /api/url/{id}/delete',
      'GET /api/pixels',
      'POST /api/pixel/add',
      'PUT /api/pixel/{id}/update',
      'DELETE /api/pixel/{id}/delete',
      'GET /api/qr',
      'GET /api/qr/{id}',
      'POST /api/qr/add',
      'PUT /api/qr/{id}/update',
      'DELETE /api/qr/{id}/delete',
      'GET /api/stats',
      'GET /api/url/{id}/stats',
      'GET /api/qr/{id}/stats',
      'GET /api/campaign/{id}/stats',
      'GET /api/channel/{id}/stats',
    ].sort(),
  )
})

test('the service publishes the description and its reference page', async ({ request }) => {
  const reply = await request({ url: '/openapi.json' })
  expect(reply.json()).toMatchObject({ openapi: '3.1.0', security: [{ key: [] }] })
  const docs = await request({ url: '/docs/' })
  expect(docs.statusCode).toBe(200)
  expect(docs.headers['content-type']).toContain('text/html')
})

test('every request body in the description has a working example', async ({
  app,
  owner,
  request,
}) => {
  const withBody = app.contract.operations.filter(({ requestBody }) => requestBody)
  for (const operation of withBody) {
    const payload = operation.requestBody?.content['application/json']?.example as object
    expect(payload, `${operation.method} ${operation.path}`).toBeTypeOf('object')
    if (operation.path.includes('{')) continue
    const reply = await request({
      method: operation.method as 'POST',
      url: operation.path,
      headers: owner.headers,
      payload,
    })
    expect([operation.path, reply.statusCode, reply.body]).toEqual([
      operation.path,
      200,
      reply.body,
    ])
  }
})

describe('requests generated from the description', () => {
  const REQUESTS = 5000
  const CONCURRENT = 20

  test('get only documented replies and never a status of 500 or above', async ({
    app,
    api: { requestArbitrary },
  }) => {
    const operations = app.contract.operations.filter(({ path }) => !path.startsWith('/api/v1/'))
    const requests = fc.sample(
      fc
        .constantFrom(...operations.map(requestArbitrary))
        .chain((generatedRequest) => generatedRequest),
      {
        numRuns: REQUESTS,
        seed: 20_261_121,
      },
    )
    const counts = new Map<number, number>()
    for (let start = 0; start < requests.length; start += CONCURRENT) {
      const batch = requests.slice(start, start + CONCURRENT)
      const replies = await Promise.all(batch.map((request) => app.request(request)))
      for (const [index, { statusCode, body }] of replies.entries()) {
        counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1)
        if (statusCode >= 500) {
          throw new Error(`${statusCode} ${body} to ${JSON.stringify(batch[index]).slice(0, 2000)}`)
        }
      }
    }
    console.info('replies by status:', Object.fromEntries([...counts].sort(([a], [b]) => a - b)))
    expect([...counts.keys()].filter((status) => status >= 500)).toEqual([])
    expect(counts.get(200)).toBeGreaterThan(500)
    expect(counts.get(400)).toBeGreaterThan(200)
  }, 300_000)
})

function readBodySchema({ requestBody }: Operation): Record<string, unknown> {
  return requestBody?.content['application/json']?.schema ?? {}
}
