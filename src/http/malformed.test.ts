import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createClientErrorHandler } from './malformed.ts'
import { createRefusingApp } from './refusing-app.ts'

const window = { limit: 30, remaining: 29, reset: 1_800_000_000, retryAfter: 60 }
const access = {
  check: async () => ({ rejection: 'key_required' as const, window }),
  peek: async () => window,
  createUnknownWindow: () => window,
  invalidate: () => {},
}

test('a malformed request gets status 400 in the API envelope', async () => {
  const client = await connectTo(createServer())
  client.write('nonsense\r\n\r\n')
  expect(await text(client)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"error":1/)
})

test('a malformed request gets no reply, only a closed connection, if an earlier reply is partly sent', async () => {
  const client = await connectTo(createServer((_request, reply) => reply.write('half')))
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  client.once('data', () => client.write('nonsense\r\n\r\n'))
  expect(await text(client)).toMatch(/half\r\n$/)
})

test('a malformed request to an application that refuses to serve gets status 503 and an id', async () => {
  const app = createRefusingApp('the data folder belongs to another installation')
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  client.write('nonsense\r\n\r\n')
  expect(await text(client)).toMatch(
    /^HTTP\/1\.1 503 Service Unavailable\r\n[\s\S]*\r\nx-request-id: [\w-]{12}\r\n/,
  )
})

async function connectTo(server: Server): Promise<Socket> {
  server.on('clientError', createClientErrorHandler(access))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return connect((server.address() as AddressInfo).port, '127.0.0.1')
}
