import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request as forward } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'vitest'
import { edgeTest, untilClicks, untilReply, visit } from '../support/edge-test.ts'
import { until } from '../support/processes.ts'

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' })
    return true
  } catch {
    process.stderr.write('Skipping the tests of edges over HTTPS: openssl is not installed\n')
    return false
  }
})()

const test = edgeTest()
  .extend('proxy', { scope: 'file' }, async ({ main }, { onCleanup }) => {
    const proxy = createProxy(main.dataDir, main.origin)
    await proxy.listen()
    onCleanup(proxy.close)
    return proxy
  })
  .skipIf(!hasOpenssl)

test('an edge follows the main installation and sends its clicks over HTTPS, also after an interruption', async ({
  deployment,
  proxy,
  makeEdge,
}) => {
  const { id, alias } = await deployment.make.link(deployment.owner, {
    url: 'https://example.com/before',
  })
  const edge = await makeEdge({ MAIN_URL: proxy.url, NODE_EXTRA_CA_CERTS: proxy.certificate })
  await edge.start()
  await untilReply(edge, alias, { status: 302, location: 'https://example.com/before' })
  await untilClicks(deployment, id, 1)

  // Clicks wait while the connection is down.
  proxy.close()
  for (let visits = 0; visits < 3; visits += 1) {
    expect((await visit(edge, alias)).status).toBe(302)
  }
  await deployment.database.pool.query('update links set url = $2 where id = $1', [
    id,
    'https://example.com/after',
  ])
  await proxy.listen()
  await untilClicks(deployment, id, 4)
  const head = { method: 'HEAD' }
  await untilReply(edge, alias, { status: 302, location: 'https://example.com/after' }, head)
  expect(proxy.countRequests()).toBeGreaterThan(0)
  expect(await edge.stop()).toBe(0)
  await untilClicks(deployment, id, 4)
})

test('an edge sends nothing to a server with an untrusted certificate', async ({
  proxy,
  makeEdge,
}) => {
  const requests = proxy.countRequests()
  const edge = await makeEdge({ MAIN_URL: proxy.url })
  await edge.launch()
  await until('the log names the certificate', async () =>
    edge.log.some((line) => JSON.stringify(line).includes('self-signed certificate')),
  )
  expect(proxy.countRequests()).toBe(requests)
})

/** Creates an HTTPS server that forwards requests to `origin`, with a self-signed certificate. */
function createProxy(folder: string, origin: string) {
  const certificate = join(folder, 'proxy.crt')
  const key = join(folder, 'proxy.key')
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
      .concat(['-keyout', key, '-out', certificate])
      .concat(subject),
    { stdio: 'pipe' },
  )
  let requests = 0
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (incoming, outgoing) => {
      requests += 1
      const { method, headers, url } = incoming
      const forwarded = forward(`${origin}${url}`, { method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      outgoing.on('close', () => forwarded.destroy())
      incoming.pipe(forwarded)
    },
  )
  let port = 0
  return {
    certificate,
    get url(): string {
      return `https://127.0.0.1:${port}`
    },
    /** Returns the number of requests received. */
    countRequests: () => requests,
    /** Listens, on the same port as before. */
    async listen(): Promise<void> {
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
      port = (server.address() as AddressInfo).port
    },
    close(): void {
      server.close()
      server.closeAllConnections()
    },
  }
}
