import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { AppError } from '../errors.ts'
import { convertDatabaseError } from './errors.ts'
import { type Database, openDatabase } from './pool.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

describe('a database server that accepts connections but does not respond', () => {
  test('causes one timeout, then immediate rejections', async () => {
    const server = await startSilentServer()
    const { pool, db } = openTestDatabase(server.port)
    await expect(pool.query('select 1')).rejects.toThrow(/timeout/)
    const connectionsBefore = server.connections()
    const rejections = await Promise.all([
      pool.query('select 1').catch(convertDatabaseError),
      pool.connect().catch(convertDatabaseError),
      db.selectFrom('links').select('id').execute().catch(convertDatabaseError),
    ])
    for (const rejection of rejections) {
      expect(rejection).toBeInstanceOf(AppError)
      expect(rejection).toMatchObject({ code: 'database_unavailable' })
    }
    expect(server.connections()).toBe(connectionsBefore)
  })

  test('is tried by one caller at a time after the cooldown', async () => {
    const server = await startSilentServer()
    const { pool } = openTestDatabase(server.port)
    await pool.query('select 1').catch(() => {})
    const connectionsBefore = server.connections()
    let rejections = 0
    while (server.connections() === connectionsBefore) {
      const startedAt = performance.now()
      await Promise.all(
        [1, 2, 3].map(() =>
          pool.query('select 1').catch(() => {
            rejections += 1
          }),
        ),
      )
      // Immediate rejections mean that the cooldown is not over yet.
      if (performance.now() - startedAt < 1) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(server.connections()).toBe(connectionsBefore + 1)
    expect(rejections).toBeGreaterThan(3)
  })
})

function openTestDatabase(port: number): Database {
  const url = `postgres://user:password@127.0.0.1:${port}/brevis`
  const database = openDatabase({ url, name: 'test', connectTimeout: 50, queryTimeout: 50 })
  cleanups.push(() => database.close())
  return database
}

async function startSilentServer() {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket.on('error', () => {}))
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return { port: address.port, connections: () => connections }
}
