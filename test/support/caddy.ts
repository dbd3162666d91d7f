import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from './free-port.ts'
import { startWebServer } from './published.ts'

const CADDYFILE = new URL('../../deploy/Caddyfile', import.meta.url)

/**
 * Starts Caddy with deploy/Caddyfile in front of a service on `port`. Caddy is its own certificate
 * authority, and keeps its data in `folder` between starts.
 */
export async function startCaddy({ port, folder }: { port: number; folder: string }) {
  const httpPort = await freePort()
  const httpsPort = await freePort()
  const caddyfile = await readFile(CADDYFILE, 'utf8')
  const globalOptions = `{
	admin off
	local_certs
	skip_install_trust
	http_port ${httpPort}
	https_port ${httpsPort}
`
  const file = join(folder, 'Caddyfile')
  // The first brace of the file opens the global options.
  await writeFile(
    file,
    caddyfile.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`).replace('{\n', globalOptions),
  )
  const server = await startWebServer(
    'caddy',
    ['run', '--config', file, '--adapter', 'caddyfile'],
    {
      port: httpsPort,
      env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
    },
  )
  const root = join(folder, 'caddy/pki/authorities/local/root.crt')

  return {
    httpPort,
    httpsPort,
    /** Returns the hash of the public key that signs its certificates, in the format of Chromium. */
    async readSignerHash(): Promise<string> {
      const file = join(folder, 'caddy/pki/authorities/local/intermediate.crt')
      const { publicKey } = new X509Certificate(await readFile(file))
      const key = publicKey.export({ type: 'spki', format: 'der' })
      return createHash('sha256').update(key).digest('base64')
    },
    /** Sends an https request to `host` over loopback, trusting Caddy's authority. */
    async request(
      host: string,
      path: string,
      { headers = {}, body, ...options }: RequestOptions & { body?: string } = {},
    ) {
      const outgoing = request({
        ...options,
        host: '127.0.0.1',
        port: httpsPort,
        path,
        servername: host,
        ca: await readFile(root),
        headers: { ...headers, host },
        agent: false,
      })
      outgoing.end(body)
      const [reply] = await once(outgoing, 'response')
      return {
        status: Number(reply.statusCode),
        headers: reply.headers as Record<string, string>,
        body: await text(reply),
      }
    },
    stop: server.stop,
  }
}
