import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { childEnvironment } from '../../src/config.ts'
import { freePort } from './free-port.ts'
import { until } from './processes.ts'

const CADDYFILE = new URL('../../deploy/Caddyfile', import.meta.url)

export type Caddy = Awaited<ReturnType<typeof startCaddy>>

/** Returns whether Caddy is installed. Prints a line if not. */
export function hasCaddy(): boolean {
  try {
    execFileSync('caddy', ['version'], { stdio: 'pipe' })
    return true
  } catch {
    process.stderr.write(
      'The tests of deploy/Caddyfile are left out: no caddy runs here; on Debian: apt-get install caddy\n',
    )
    return false
  }
}

/**
 * Starts Caddy with deploy/Caddyfile in front of a service on `port`, with its own certificate
 * authority. `folder` keeps its data between starts.
 */
export async function startCaddy({ port, folder }: { port: number; folder: string }) {
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const caddyfile = await readFile(CADDYFILE, 'utf8')
  const ours = `{
	admin off
	local_certs
	skip_install_trust
	http_port ${httpPort}
	https_port ${httpsPort}
`
  const file = join(folder, 'Caddyfile')
  await writeFile(
    file,
    caddyfile.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`).replace('{\n', ours),
  )
  const child = spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: childEnvironment({ XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (part) => {
    log += part
  })
  const exited = once(child, 'exit')
  const root = join(folder, 'caddy/pki/authorities/local/root.crt')
  await until(
    'caddy serves',
    async () => {
      if (child.exitCode !== null) throw new Error(`caddy ended: ${log}`)
      return log.includes('serving initial configuration')
    },
    { within: 60_000, every: 50 },
  )

  return {
    httpPort,
    /** Sends an https request to `host` over loopback, trusting Caddy's authority. */
    async request(
      host: string,
      path: string,
      { headers = {}, body, ...options }: RequestOptions & { body?: string } = {},
    ) {
      const sent = request({
        ...options,
        host: '127.0.0.1',
        port: httpsPort,
        path,
        servername: host,
        ca: await readFile(root),
        headers: { ...headers, host },
        agent: false,
      })
      sent.end(body)
      const [reply] = await once(sent, 'response')
      return {
        status: Number(reply.statusCode),
        headers: reply.headers as Record<string, string>,
        body: await text(reply),
      }
    },
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Creates a folder for Caddy's data. Call `remove` at the end. */
export async function caddyFolder() {
  const path = await mkdtemp(join(tmpdir(), 'brevis-caddy-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
