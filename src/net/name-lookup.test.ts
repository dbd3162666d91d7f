import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestFetch, startCanary } from '../../test/fixtures/loopback-servers.ts'
import { type AnswerQuery, startNameServer } from '../../test/fixtures/name-server.ts'
import { createNameLookup } from './name-lookup.ts'

const A = 1
const AAAA = 28
/** A signal that is never aborted. */
const signal = new AbortController().signal

describe('a lookup', () => {
  test('returns addresses of both families', async () => {
    const { lookup, requests } = await createLookup((type) =>
      type === A ? [93, 184, 215, 14] : Array.from({ length: 16 }, (_, at) => at + 32),
    )
    expect((await lookup('Both.Test.', signal)).toSorted()).toEqual([
      '2021:2223:2425:2627:2829:2a2b:2c2d:2e2f',
      '93.184.215.14',
    ])
    expect(requests.toSorted()).toEqual(['both.test 1', 'both.test 28'])
  })

  test.each([A, AAAA])(
    'returns one family if the other is empty or does not respond',
    async (knownType) => {
      const address = knownType === A ? [192, 0, 2, 1] : [0x20, 1, ...Array(13).fill(0), 1]
      for (const otherAddress of [[], undefined]) {
        const { lookup } = await createLookup((type) =>
          type === knownType ? address : otherAddress,
        )
        expect(await lookup('one.test', signal)).toEqual([
          knownType === A ? '192.0.2.1' : '2001::1',
        ])
      }
    },
  )

  test('rejects an unknown name', async () => {
    const { lookup } = await createLookup(() => [])
    await expect(lookup('none.test', signal)).rejects.toThrow('none.test')
  })

  test('reads the hosts file first, and resolves localhost without a server', async () => {
    const hosts =
      '# 192.0.2.1 note.test\n192.0.2.7\tone.test  Two.test # note\n\n2001::7 two.test\n'
    const { lookup, requests } = await createLookup(() => [], { hosts })
    expect(await lookup('one.test', signal)).toEqual(['192.0.2.7'])
    expect(await lookup('two.test.', signal)).toEqual(['192.0.2.7', '2001::7'])
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      expect(await lookup(name, signal)).toEqual(['127.0.0.1', '::1'])
    }
    expect(requests).toEqual([])
    await expect(lookup('note.test', signal)).rejects.toThrow()
    expect(requests).toHaveLength(2)
  })
})

describe('a name server that rebinds names to this machine', () => {
  test.each([
    [
      'with its second reply',
      [
        [203, 0, 113, 7],
        [127, 0, 0, 1],
      ],
      undefined,
    ],
    [
      'with every other reply',
      [
        [127, 0, 0, 1],
        [203, 0, 113, 7],
      ],
      undefined,
    ],
    ['with a late IPv6 address', [[203, 0, 113, 7]], '::ffff:7f00:1'],
    ['with an address that means any', [[0, 0, 0, 0]], undefined],
    ['with an IPv6 address', [[203, 0, 113, 7]], '::1'],
  ] as const)('%s is never connected to', async (_name, replies, ipv6) => {
    const canary = await startCanary()
    let queries = 0
    const { lookup } = await createLookup((type) => {
      if (type === AAAA) return ipv6 === undefined ? [] : toBytes(ipv6)
      queries += 1
      return [...(replies[(queries - 1) % replies.length] ?? [])]
    })
    const guarded = createTestFetch({ allow: [], lookup, timeoutMs: 300 })
    const url = `http://rebind.test:${canary.port}/`
    const attempts = Array.from({ length: 6 }, () => guarded.fetch(url))
    for (const attempt of await Promise.allSettled(attempts)) {
      expect(attempt).toMatchObject({ status: 'rejected' })
    }
    expect(canary.connections()).toBe(0)
  })
})

describe('a lookup without a response', () => {
  test('rejects after its timeout', async () => {
    const { lookup } = await createLookup(() => undefined, { timeoutMs: 50 })
    await expect(lookup('slow.test', signal)).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('rejects when its signal is aborted, even before a server is queried', async () => {
    const { lookup, requests } = await createLookup(() => undefined, { timeoutMs: 20_000 })
    const controller = new AbortController()
    const result = lookup('slow.test', controller.signal).catch((error: unknown) => error)
    await expect.poll(() => requests.length).toBeGreaterThanOrEqual(2)
    controller.abort(new Error('gone'))
    expect(await result).toMatchObject({ message: 'gone' })
    await expect(lookup('later.test', controller.signal)).rejects.toThrow('gone')
    expect(requests.filter((name) => name.startsWith('later'))).toEqual([])
  })

  test('does not delay other names or file access', async () => {
    const { lookup, requests } = await createLookup((_type, name) =>
      name === 'fast.test' ? [192, 0, 2, 1] : undefined,
    )
    const controller = new AbortController()
    const order: string[] = []
    const slow = Array.from({ length: 32 }, (_, at) =>
      lookup(`slow${at}.test`, controller.signal).catch(() => order.push('slow')),
    )
    await expect.poll(() => requests.length).toBeGreaterThanOrEqual(64)
    await lookup('fast.test', signal)
    order.push('fast')
    controller.abort()
    await Promise.all(slow)
    expect(order).toEqual(['fast', ...Array(32).fill('slow')])
  })
})

/** Starts a name server, and creates a lookup that queries it. */
async function createLookup(answer: AnswerQuery, { hosts = '', timeoutMs = 3000 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-names-'))
  const hostsFile = join(folder, 'hosts')
  await writeFile(hostsFile, hosts)
  const { address, requests, close } = await startNameServer(answer)
  onTestFinished(async () => {
    close()
    await rm(folder, { recursive: true })
  })
  return { lookup: createNameLookup({ servers: [address], hostsFile, timeoutMs }), requests }
}

/** Returns the bytes of an IPv6 address that ends in one or two groups. */
function toBytes(address: string): number[] {
  const groups = address
    .replace('::', '')
    .split(':')
    .map((group) => Number.parseInt(group, 16))
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff])
  return [...Array(16 - bytes.length).fill(0), ...bytes]
}
