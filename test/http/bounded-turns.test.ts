import { once } from 'node:events'
import { type IncomingMessage, get as send } from 'node:http'
import { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const KIB = 1024
/** The maximum number of bytes of replies that one turn of the event loop may write. */
const BYTES_PER_TURN = 128 * KIB

const test = appTest()

/** Records how many bytes of replies the server on a port writes in each turn of the event loop. */
async function recordTurns(port: number, work: () => Promise<unknown>) {
  const bytes: number[] = [0]
  const write = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (
    this: Socket,
    ...args: unknown[]
  ) {
    const [chunk] = args
    if (this.localPort === port) bytes.push((bytes.pop() ?? 0) + Buffer.byteLength(String(chunk)))
    return original.apply(this, args as Parameters<Socket['write']>)
  })
  let isDone = false
  const turns = (async () => {
    while (!isDone) {
      await nextTurn()
      if (bytes.at(-1) !== 0) bytes.push(0)
    }
  })()
  try {
    await work()
  } finally {
    isDone = true
    await turns
    write.mockRestore()
  }
  return bytes
}
const original = Socket.prototype.write

test('long replies are written in parts, so that other requests get turns', async ({
  app,
  make,
}) => {
  const owner = await make.owner()
  const { pool } = app.services.database
  const { id } = await make.link(owner)
  await pool.query(
    `insert into links (account_id, alias, url, meta_title)
     select $1, 'turn-' || n, 'https://example.com/' || n || repeat('x', 2000), repeat('t', 500)
     from generate_series(1, 2500) n`,
    [owner.account.id],
  )
  await pool.query(
    `insert into link_versions (link_id, account_id, changed_by, changes)
     select $1, $2, 'command-line', jsonb_build_object('url', jsonb_build_object(
       'before', 'https://example.com/' || n || repeat('y', 4000), 'after', 'https://example.com/x'))
     from generate_series(1, 240) n`,
    [id, owner.account.id],
  )
  const { cookie } = await signIn(app, owner.account.email)
  await app.listen()
  const get = async (path: string) => {
    const request = send({
      port: app.port(),
      path,
      headers: { ...owner.headers, cookie, host: 'brev.test' },
    })
    const [reply] = (await once(request, 'response')) as [IncomingMessage]
    const { length } = await buffer(reply)
    expect([path, reply.statusCode]).toEqual([path, 200])
    return length
  }
  for (const [path, minBytes] of [
    [`/api/url/${id}/versions?limit=1000`, 900 * KIB],
    ['/api/urls?limit=1000', 2000 * KIB],
    ['/api/urls?limit=1000&q=example', 2000 * KIB],
    ['/console/export?format=jsonl', 5000 * KIB],
    ['/console/export?format=csv', 5000 * KIB],
  ] as const) {
    let size = 0
    const turns = await recordTurns(app.port(), async () => {
      size = await get(path)
    })
    expect(size).toBeGreaterThan(minBytes)
    expect([path, Math.max(...turns)]).toEqual([path, expect.toSatisfy((n) => n < BYTES_PER_TURN)])
  }
})
