import { connect } from 'node:net'
import { describe, expect } from 'vitest'
import { exampleUrl, hostsTest } from '../support/hosts-test.ts'

const test = hostsTest().extend('raw', { scope: 'file' }, async ({ app, setup: _domains }) => {
  await app.listen()
  return (lines: readonly string[]) => send(app.port(), lines)
})

describe('over the network', () => {
  const get = (target: string, ...headers: string[]) => [`GET ${target} HTTP/1.1`, ...headers]

  test('an absolute URL in the request line overrides the host', async ({ raw }) => {
    const absoluteUrl = await raw(get('http://own.test/same', 'Host: rival.test'))
    expect(absoluteUrl.headers).toContain(`location: ${exampleUrl('own-test')}`)
    const upper = await raw(get('HTTP://OWN.TEST/same', 'Host: rival.test'))
    expect(upper.headers).toContain(`location: ${exampleUrl('own-test')}`)
    const bare = await raw(get('http://rival.test', 'Host: own.test'))
    expect(bare.headers).toContain(`location: ${exampleUrl('rival-root')}`)
  })

  test.for([
    ['two hosts', get('/same', 'Host: own.test', 'Host: rival.test')],
    ['the same host twice', get('/same', 'Host: own.test', 'host: own.test')],
    ['no host', get('/same')],
  ] as const)('rejects %s', async ([_name, lines], { raw }) => {
    const reply = await raw(lines)
    expect(reply.status).toBe(400)
    expect(reply.headers).not.toMatch(/^location:/im)
  })

  test.for([
    get('/same\t', 'Host: own.test'),
    get('/same x', 'Host: own.test'),
    get('same', 'Host: own.test'),
    get('*', 'Host: own.test'),
    get('ftp://own.test/same', 'Host: own.test'),
    get('javascript:alert(1)', 'Host: own.test'),
    get('//rival.test/same', 'Host: brev.test'),
    get('/./same', 'Host: own.test'),
    get('/x/../same', 'Host: own.test'),
    get('/same/..', 'Host: own.test'),
    get('http://user@own.test/same', 'Host: own.test'),
    get('http:///same', 'Host: own.test'),
    get('/same', 'Host: own.test\x01'),
    get('/same', 'Host: ow\xffn.test'),
    get('/same', 'Host:'),
    get('/same', ' Host: own.test'),
  ])('%j gets neither another link nor a 5xx', async (lines, { raw }) => {
    const reply = await raw(lines)
    expect(reply.status).toBeLessThan(500)
    expect(reply.headers).not.toContain(exampleUrl('rival'))
    expect(reply.headers).not.toContain(exampleUrl('service'))
  })

  test('a destination cannot add a header', async ({ make, owner, raw }) => {
    for (const url of [
      'https://e.test/\r\nX-Injected: 1',
      'https://e.test/?a=\r\n\r\n<b>',
      'https://e.test/\u2028',
    ]) {
      const { alias } = await make.link(owner, { url })
      const { status, headers } = await raw(get(`/${alias}`, 'Host: brev.test'))
      expect(status).toBe(302)
      expect(headers.match(/^location:/gim)).toHaveLength(1)
      expect(headers).not.toMatch(/^x-injected/im)
    }
  })

  test('a parameter can only change the query', async ({ make, owner, raw }) => {
    const parameters = [{ name: 'a\r\nX-Injected: 1', value: '#&=\r\n\u{1f600}' }]
    const { alias } = await make.link(owner, { url: 'https://e.test/?x=1#end', parameters })
    const { headers } = await raw(get(`/${alias}`, 'Host: brev.test'))
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

/** Sends these bytes and returns the status and headers of the first reply. */
function send(
  port: number,
  lines: readonly string[],
): Promise<{ status: number; headers: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      reply += text
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [headers = ''] = reply.split('\r\n\r\n', 1)
      resolve({ status: Number(headers.split(' ')[1]), headers })
    })
    socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1')
  })
}
