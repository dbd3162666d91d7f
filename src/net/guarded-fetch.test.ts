import { describe, expect, test } from 'vitest'
import {
  createTestFetch,
  loopback,
  startCanary,
  startServer,
} from '../../test/fixtures/loopback-servers.ts'
import { createGuardedFetch } from './guarded-fetch.ts'

/**
 * Users see the same error as for a name that does not resolve. The cause, for logs, tells them
 * apart.
 */
const NOT_PERMITTED = {
  name: 'OutboundError',
  message: 'could not be reached at a public address',
  reason: 'unreachable',
  cause: { message: 'the address is not permitted' },
}

describe('a forbidden address', () => {
  /** `PORT` stands for the canary's port. `names` below has the IP addresses of the host names. */
  const urls = [
    'http://127.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://127.255.255.254:PORT/',
    'http://2130706433:PORT/',
    'http://017700000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://0x7f000001:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127。0。0。1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[::ffff:0:127.0.0.1]:PORT/',
    'http://[64:ff9b::127.0.0.1]:PORT/',
    'http://[64:ff9b:1::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::]:PORT/',
    'http://[fe80::1]:PORT/',
    'http://[fc00::1]:PORT/',
    'http://[fd12:3456::1]:PORT/',
    'http://[fec0::1]:PORT/',
    'http://[ff02::1]:PORT/',
    'http://[2001:db8::1]:PORT/',
    'http://[100::1]:PORT/',
    'http://[4000::1]:PORT/',
    'http://10.0.0.1:PORT/',
    'http://100.64.0.1:PORT/',
    'http://169.254.169.254:PORT/latest/meta-data/',
    'http://2852039166:PORT/',
    'http://172.16.0.1:PORT/',
    'http://172.31.255.255:PORT/',
    'http://192.168.0.1:PORT/',
    'http://192.0.2.1:PORT/',
    'http://198.18.0.1:PORT/',
    'http://203.0.113.9:PORT/',
    'http://224.0.0.1:PORT/',
    'http://240.0.0.1:PORT/',
    'http://255.255.255.255:PORT/',
    'http://168.63.129.16:PORT/machine?comp=goalstate',
    'http://2822734096:PORT/',
    'http://[::ffff:168.63.129.16]:PORT/',
    'http://wireserver.test:PORT/',
    'http://100.100.100.200:PORT/',
    'http://192.0.0.192:PORT/',
    'http://[fd00:ec2::254]:PORT/',
    'http://199.36.153.4:PORT/',
    'http://199.36.153.11:PORT/',
    'http://[2600:2d00:2:1000::1]:PORT/',
    'http://[2600:2d00:2:20ff::1]:PORT/',
    'http://161.26.0.10:PORT/',
    'http://166.11.255.254:PORT/',
    'http://localhost:PORT/',
    'http://localhost.:PORT/',
    'http://LOCALHOST:PORT/',
    'http://printer.internal:PORT/',
    'http://mapped.test:PORT/',
    'http://half.test:PORT/',
    'http://otherhalf.test:PORT/',
    'http://zone.test:PORT/',
    'http://short.test:PORT/',
    'http://nat64.test:PORT/',
    'https://127.0.0.1:PORT/',
    'https://printer.internal:PORT/',
  ]
  const names = {
    localhost: ['127.0.0.1', '::1'],
    'localhost.': ['127.0.0.1'],
    'printer.internal': ['127.0.0.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'half.test': ['93.184.215.14', '127.0.0.1'],
    'otherhalf.test': ['127.0.0.1', '93.184.215.14'],
    'zone.test': ['fe80::1%lo'],
    'short.test': ['127.1'],
    'nat64.test': ['64:ff9b::7f00:1'],
    'wireserver.test': ['168.63.129.16'],
  }

  test.each(urls)('is rejected before a packet is sent: %s', async (template) => {
    const canary = await startCanary()
    const guarded = createTestFetch({ allow: [], lookup: names })

    await expect(guarded.fetch(template.replace('PORT', `${canary.port}`))).rejects.toMatchObject(
      NOT_PERMITTED,
    )
    expect(canary.connections()).toBe(0)
  })

  test.each(['http://localhost:PORT/', 'http://localhost.:PORT/'])(
    'is rejected if the system resolves the name: %s',
    async (template) => {
      const canary = await startCanary()
      const guarded = createTestFetch({ allow: [] })
      await expect(guarded.fetch(template.replace('PORT', `${canary.port}`))).rejects.toMatchObject(
        { name: 'OutboundError' },
      )
      expect(canary.connections()).toBe(0)
    },
  )

  test('can be requested if allowed', async () => {
    const canary = await startCanary()
    const guarded = createTestFetch({ allow: loopback, lookup: names })
    await expect(guarded.fetch(`http://2130706433:${canary.port}/`)).resolves.toMatchObject({
      status: 200,
    })
    expect(canary.connections()).toBe(1)
  })

  test('is rejected outside of the allowed networks', async () => {
    const canary = await startCanary()
    const guarded = createTestFetch({
      allow: ['10.0.0.0/8', '127.0.0.2/32', '::/128'],
      lookup: names,
    })
    for (const host of ['127.0.0.1', '[::1]', '[64:ff9b::127.0.0.2]', 'half.test']) {
      await expect(guarded.fetch(`http://${host}:${canary.port}/`)).rejects.toMatchObject(
        NOT_PERMITTED,
      )
    }
    expect(canary.connections()).toBe(0)
  })

  test.each([
    'http://127.0.0.2:PORT/',
    'http://2130706434:PORT/',
    'http://[::1]:PORT/',
    'http://inside.test:PORT/',
    '//127.0.0.2:PORT/',
  ])('is rejected as a redirect: %s', async (template) => {
    const server = await startServer((request, response) => {
      const location = template.replace('PORT', `${request.socket.localPort}`)
      response.writeHead(302, { location }).end()
    })
    const lookup = { 'outside.test': ['127.0.0.1'], 'inside.test': ['127.0.0.2'] }
    const guarded = createTestFetch({ allow: loopback, lookup })

    await expect(guarded.fetch(`http://outside.test:${server.port}/`)).rejects.toMatchObject(
      NOT_PERMITTED,
    )
    expect(server.connections()).toBe(1)
  })

  test('cannot replace a checked address, because a name is resolved once per request', async () => {
    const server = await startServer((_request, response) => response.end('hello'))
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    const guarded = createTestFetch({ allow: loopback, lookup: async () => answers.shift() ?? [] })

    const reply = await guarded.fetch(`http://rebind.test:${server.port}/`)
    expect(reply.body.toString()).toBe('hello')
    expect(answers).toEqual([['127.0.0.2']])

    await expect(guarded.fetch(`http://rebind.test:${server.port}/`)).rejects.toMatchObject(
      NOT_PERMITTED,
    )
    expect(server.connections()).toBe(1)
  })
})

describe('a disallowed URL', () => {
  test.each([
    '',
    'not a url',
    '/relative',
    'ftp://a.test/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'http://user@a.test/',
    'http://user:secret@a.test/',
    'http://a.test:22/',
    'http://a.test:25/',
    'https://a.test:0/',
    'http://a.test:65536/',
    'http://[fe80::1%25eth0]/',
  ])('is rejected without a lookup: "%s"', async (url) => {
    let lookups = 0
    const lookup = async () => {
      lookups += 1
      return ['127.0.0.1']
    }
    const guarded = createTestFetch({ allow: loopback, lookup })
    await expect(guarded.fetch(url)).rejects.toMatchObject({ reason: 'refused_url' })
    expect(lookups).toBe(0)
  })

  test('is rejected as a redirect to another scheme, with a user name or to a low port', async () => {
    for (const location of ['file:///etc/passwd', 'http://u@a.test/', 'http://a.test:22/']) {
      const server = await startServer((_request, response) => {
        response.writeHead(301, { location }).end()
      })
      const guarded = createTestFetch({ allow: loopback })
      await expect(guarded.fetch(server.url)).rejects.toMatchObject({ reason: 'refused_url' })
    }
  })
})

test.each(['127.0.0.1', '10.0.0.0/33', 'intranet', ''])(
  'the network "%s" is rejected, because it is not a CIDR',
  (cidr) => {
    expect(() => createGuardedFetch({ allow: [cidr] })).toThrow('CIDR')
  },
)
