import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createChildEnvironment } from '../../src/config.ts'
import { until } from './processes.ts'

type Server = { stop(): Promise<void> }

/** How to ask a tool for its version, and Debian's package. */
const TOOLS = {
  nginx: ['-v', 'nginx'],
  apache2: ['-v', 'apache2'],
  caddy: ['version', 'caddy'],
  zbarimg: ['--version', 'zbar-tools'],
  pgbouncer: ['--version', 'pgbouncer'],
  promtool: ['--version', 'prometheus'],
} as const

/** Returns whether a tool is installed. Prints a line if not. */
export function isInstalled(name: keyof typeof TOOLS): boolean {
  const [option, debianPackage] = TOOLS[name]
  try {
    execFileSync(name, [option], { stdio: 'pipe' })
    return true
  } catch {
    process.stderr.write(
      `Skipping the ${name} tests: ${name} is not installed. On Debian, run: apt-get install ${debianPackage}\n`,
    )
    return false
  }
}

/** Starts nginx on the published folder and waits until it accepts connections on `port`. */
export async function startNginx(folder: string, published: string, port: number): Promise<Server> {
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000;
  include ${published}/nginx-shared.conf;
  include ${published}/hosts/*/*.conf;
}
`,
  )
  return startWebServer('nginx', ['-c', file, '-p', folder], { port })
}

/** Starts Caddy on the published folder and waits until it accepts connections on `port`. */
export async function startCaddy(folder: string, published: string, port: number): Promise<Server> {
  const file = join(folder, 'Caddyfile')
  await writeFile(file, `{\n\tadmin off\n}\nimport ${published}/Caddyfile\n`)
  return startWebServer('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    port,
    env: { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
  })
}

/** Starts a web server and waits until it accepts connections on `port`. */
export async function startWebServer(
  name: string,
  args: readonly string[],
  { port, env = {} }: { port: number; env?: Record<string, string> },
): Promise<Server> {
  const child = spawn(name, args, {
    env: createChildEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (part) => {
    log += part
  })
  const exited = once(child, 'exit')
  await until(
    `${name} accepts connections`,
    () => {
      if (child.exitCode !== null) throw new Error(`${name} exited: ${log}`)
      return acceptsConnections(port)
    },
    { timeoutMs: 180_000, intervalMs: 100 },
  )
  return {
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
