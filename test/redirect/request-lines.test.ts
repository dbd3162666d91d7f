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

/** Sends the lines of a request unchanged and returns the status line and headers of the reply. */
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
