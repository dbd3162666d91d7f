import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { RATE_LIMIT_PER_MINUTE: '30' } })
const json = { 'content-type': 'application/json' }

describe('an error reply under /api', () => {
  test.for([
    [404, 'GET', '/api', {}, undefined],
    [404, 'GET', '/api/', {}, undefined],
    [404, 'GET', '/api/nothing/here', {}, undefined],
    [404, 'GET', '/api/url/0', {}, undefined],
    [404, 'GET', '/api/url/9007199254740993', {}, undefined],
    [404, 'GET', '/api/url/abc', {}, undefined],
    [405, 'PATCH', '/api/account', {}, undefined],
    [405, 'HEAD', '/api/account', {}, undefined],
    [405, 'DELETE', '/api/url/add', {}, undefined],
    [405, 'GET', '/api/url/add', {}, undefined],
    [405, 'PATCH', '/api/urls', {}, undefined],
    [404, 'PATCH', '/api/url/7/nothing', {}, undefined],
    [400, 'GET', '/api/%zz', {}, undefined],
    [400, 'POST', '/api/url/add', json, '{'],
    [400, 'POST', '/api/url/add', json, '[]'],
    [400, 'POST', '/api/url/add', json, 'null'],
    [400, 'POST', '/api/url/add', json, '"text"'],
    [400, 'POST', '/api/url/add', json, ''],
    [413, 'POST', '/api/url/add', json, `{"url":"${'x'.repeat(300_000)}"}`],
    [415, 'POST', '/api/url/add', { 'content-type': 'application/xml' }, '<url/>'],
    [415, 'POST', '/api/url/add', { 'content-type': 'multipart/form-data; boundary=x' }, 'x'],
  ] as const)(
    'with the status %i to %s %s with the headers %j has the JSON envelope and rate headers',
    async ([status, method, url, headers, payload], { make, request }) => {
      const owner = await make.owner()
      const reply = await request({
        method,
        url,
        headers: { ...owner.headers, ...headers },
        ...(payload !== undefined && { payload }),
      })
      expect(reply.statusCode).toBe(status)
      expect(reply.headers['x-ratelimit-limit']).toBe('30')
      expect(reply.headers['x-ratelimit-remaining']).toMatch(/^\d+$/)
      expect(reply.headers['x-ratelimit-reset']).toMatch(/^\d{10}$/)
      expect(reply.headers['access-control-allow-origin']).toBe('*')
      if (status === 405) expect(reply.headers.allow).toMatch(/GET|POST/)
      if (method !== 'HEAD') expect(reply.json()).toEqual({ error: 1, message: expect.any(String) })
    },
  )

  test.for([
    ['PATCH', '/api/account', 'GET, POST'],
    ['PROPFIND', '/api/account?x=1', 'GET, POST'],
    ['PROPFIND', '/api/url/7', 'GET'],
    ['PROPFIND', '/api/url/add', 'POST'],
    ['GET', '/api/url/add', 'POST'],
  ])('to %s %s is a 405 that allows only %s', async ([method, url, allowed], { make, request }) => {
    const owner = await make.owner()
    const reply = await request({ method: method as 'GET', url, headers: owner.headers })
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, allowed])
  })

  test('to a path that is too long is a 414 with the envelope and rate headers, for every method', async ({
    app,
    make,
  }) => {
    const { headers } = await make.owner()
    const url = `/api/url/${'x'.repeat(49 * 1024)}`
    for (const method of ['GET', 'PATCH', 'PROPFIND']) {
      const reply = await app.fastify.inject({ method: method as 'GET', url, headers })
      expect([reply.statusCode, reply.json().error]).toEqual([414, 1])
      expect(reply.headers['x-ratelimit-limit']).toBe('30')
    }
  })

  test.for([
    ['a header without a colon', 'GET /api/account HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n', 400],
    ['bytes that are not HTTP', '\x16\x03\x01\x00\x01\r\n\r\n', 400],
    ['a path with a space', 'GET /api/a b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    [
      'a header of 100 kB',
      `GET /api/account HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
    ],
    [
      'two Content-Length headers',
      'POST /api/url/add HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
    ],
  ] as const)(
    'to %s, sent by the HTTP parser, has the envelope and rate headers',
    async ([_name, packet, status], { app }) => {
      await app.listen()
      const socket = connect(app.port(), '127.0.0.1')
      socket.write(packet, 'latin1')
      const reply = await text(socket)
      const [head = '', body = ''] = reply.split('\r\n\r\n')
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(head.toLowerCase()).toMatch(
        /x-ratelimit-limit: 30\r\nx-ratelimit-remaining: \d+\r\nx-ratelimit-reset: \d{10}/,
      )
      expect(JSON.parse(body)).toEqual({ error: 1, message: expect.any(String) })
    },
  )
})

test('the API accepts JSON with every content type that legacy clients send', async ({
  make,
  request,
}) => {
  const { headers } = await make.owner()
  const payload = JSON.stringify({ url: 'https://example.com/x' })
  for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain', '']) {
    const reply = await request({
      method: 'POST',
      url: '/api/url/add',
      headers: { ...headers, ...(type && { 'content-type': type }) },
      payload: Buffer.from(payload),
    })
    expect(reply.json()).toMatchObject({ error: 0 })
  }
  const get = await request({ url: '/api/account', headers: { ...headers, ...json } })
  expect(get.statusCode).toBe(200)
})
