import { connect } from 'node:net'
import { describe, expect } from 'vitest'
import { exampleUrl, hostsTest } from '../support/hosts-test.ts'

const test = hostsTest().extend(
  'sendLines',
  { scope: 'file' },
  // `hosts` creates the domains and links before the app listens.
  async ({ app, hosts: _hosts }) => {
    await app.listen()
    return (lines: readonly string[]) => send(app.port(), lines)
  },
)

describe('requests over the network', () => {
  const createLines = (target: string, ...headers: string[]) => [
    `GET ${target} HTTP/1.1`,
    ...headers,
  ]

  test('use the host of an absolute URL in the request line', async ({ sendLines }) => {
    const absoluteUrl = await sendLines(createLines('http://own.test/same', 'Host: rival.test'))
    expect(absoluteUrl.headers).toContain(`location: ${exampleUrl('own-test')}`)
    const withUppercase = await sendLines(createLines('HTTP://OWN.TEST/same', 'Host: rival.test'))
    expect(withUppercase.headers).toContain(`location: ${exampleUrl('own-test')}`)
    const withoutPath = await sendLines(createLines('http://rival.test', 'Host: own.test'))
    expect(withoutPath.headers).toContain(`location: ${exampleUrl('rival-root')}`)
  })

  test.for([
    ['two hosts', createLines('/same', 'Host: own.test', 'Host: rival.test')],
    ['the same host twice', createLines('/same', 'Host: own.test', 'host: own.test')],
    ['no host', createLines('/same')],
  ] as const)('are rejected with %s', async ([_name, lines], { sendLines }) => {
    const reply = await sendLines(lines)
    expect(reply.status).toBe(400)
    expect(reply.headers).not.toMatch(/^location:/im)
  })

  test.for([
    createLines('/same\t', 'Host: own.test'),
    createLines('/same x', 'Host: own.test'),
    createLines('same', 'Host: own.test'),
    createLines('*', 'Host: own.test'),
    createLines('ftp://own.test/same', 'Host: own.test'),
    createLines('javascript:alert(1)', 'Host: own.test'),
    createLines('//rival.test/same', 'Host: brev.test'),
    createLines('/./same', 'Host: own.test'),
    createLines('/x/../same', 'Host: own.test'),
    createLines('/same/..', 'Host: own.test'),
    createLines('http://user@own.test/same', 'Host: own.test'),
    createLines('http:///same', 'Host: own.test'),
    createLines('/same', 'Host: own.test\x01'),
    createLines('/same', 'Host: ow\xffn.test'),
    createLines('/same', 'Host:'),
    createLines('/same', ' Host: own.test'),
  ])('such as %j get neither another link nor a server error', async (lines, { sendLines }) => {
    const reply = await sendLines(lines)
    expect(reply.status).toBeLessThan(500)
    expect(reply.headers).not.toContain(exampleUrl('rival'))
    expect(reply.headers).not.toContain(exampleUrl('service'))
  })

  test.for([
    ['GET', '/caf\xc3\xa9'],
    ['GET', '/\xff?a=b'],
    ['POST', '/same\xe9'],
    ['GET', '/qr/\x80.png'],
    ['HEAD', '/\xe9'],
    ['GET', 'http://own.test/\xe9'],
    ['GET', '/apis\xe9'],
  ] as const)(
    'with raw bytes beyond ASCII get a page: %s %j',
    async ([method, path], { sendLines }) => {
      const { status, headers, body } = await sendLines([
        `${method} ${path} HTTP/1.1`,
        'Host: own.test',
        'Accept-Language: de',
      ])
      expect([status, headers]).toEqual([400, expect.stringContaining('text/html; charset=utf-8')])
      expect(headers).toContain("default-src 'none'")
      expect(headers).not.toMatch(/^x-ratelimit|^access-control/im)
      if (method !== 'HEAD') expect(body).toContain('<html lang="de"')
      else expect(body).toBe('')
      expect(body).not.toContain('Brevis')
    },
  )

  test.for([
    '/api/\xe9',
    '/api?\xe9',
    '//api/url/\xe9',
    '/%61pi/\xe9',
    '/yourls-api.php?title=\xe9',
  ])('with raw bytes beyond ASCII get JSON under the APIs: %j', async (path, { sendLines }) => {
    const { status, headers, body } = await sendLines(createLines(path, 'Host: brev.test'))
    expect([status, JSON.parse(body).error]).toEqual([400, 1])
    expect(headers).toMatch(/^x-ratelimit-remaining: /im)
  })

  test('get no header injected by a destination', async ({ make, owner, sendLines }) => {
    for (const url of [
      'https://e.test/\r\nX-Injected: 1',
      'https://e.test/?a=\r\n\r\n<b>',
      'https://e.test/\u2028',
    ]) {
      const { alias } = await make.link(owner, { url })
      const { status, headers } = await sendLines(createLines(`/${alias}`, 'Host: brev.test'))
      expect(status).toBe(302)
      expect(headers.match(/^location:/gim)).toHaveLength(1)
      expect(headers).not.toMatch(/^x-injected/im)
    }
  })

  test('get parameters only in the query of the destination', async ({
    make,
    owner,
    sendLines,
  }) => {
    const parameters = [{ name: 'a\r\nX-Injected: 1', value: '#&=\r\n\u{1f600}' }]
    const { alias } = await make.link(owner, { url: 'https://e.test/?x=1#end', parameters })
    const { headers } = await sendLines(createLines(`/${alias}`, 'Host: brev.test'))
    const location = /^location: (.*)$/im.exec(headers)?.[1] ?? ''
    expect(headers).not.toMatch(/^x-injected/im)
    const { searchParams, hash } = new URL(location)
    expect([...searchParams]).toEqual([
      ['x', '1'],
      ['a\r\nX-Injected: 1', '#&=\r\n\u{1f600}'],
    ])
    expect(hash).toBe('#end')
  })
})

describe('methods that visitors do not use', () => {
  test.for([
    ['/same', 'GET, HEAD, POST'],
    ['/same+', 'GET, HEAD, POST'],
    ['/', 'GET, HEAD'],
    ['/robots.txt', 'GET, HEAD'],
    ['/favicon.ico', 'GET, HEAD'],
    ['/qr/same.png', 'GET, HEAD'],
    ['/static/x.jpg', 'GET, HEAD'],
    ['/r/slug', 'GET, HEAD'],
    ['/b/page', 'GET, HEAD'],
    ['/u/name/1', 'GET, HEAD'],
    ['/avatar/anna.svg', 'GET, HEAD'],
    ['/register', 'GET, HEAD, POST'],
    ['/.well-known/assetlinks.json', 'GET, HEAD'],
    ['/with/slashes', 'GET, HEAD, POST'],
  ] as const)('get 405 on %s with Allow: %s', async ([url, allow], { make, owner, request }) => {
    if (url === '/with/slashes') await make.link(owner, { alias: 'with/slashes' })
    const methods = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'] as const
    for (const method of [...methods, ...(allow.includes('POST') ? [] : (['POST'] as const))]) {
      const reply = await request({ method: method as 'PUT', url })
      expect([method, reply.statusCode, reply.headers.allow]).toEqual([method, 405, allow])
      expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
    }
    const headers = { 'content-type': 'application/json' }
    expect((await request({ method: 'PUT', url, headers, payload: '{}' })).statusCode).toBe(405)
  })

  test('get 404 on a path with several segments that is no link', async ({ request }) => {
    for (const method of ['PUT', 'OPTIONS', 'POST'] as const)
      expect((await request({ method, url: '/no/such/link' })).statusCode).toBe(404)
  })
})

/** Sends the lines of a request unchanged and returns the parts of the reply. */
function send(
  port: number,
  lines: readonly string[],
): Promise<{ status: number; headers: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      reply += text
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [headers = '', body = ''] = reply.split('\r\n\r\n', 2)
      resolve({ status: Number(headers.split(' ')[1]), headers, body })
    })
    socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1')
  })
}
