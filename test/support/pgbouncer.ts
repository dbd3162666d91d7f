import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { startWebServer } from './published.ts'

/**
 * Starts PgBouncer in front of a database, with its configuration in `folder`. It passes on none of
 * the startup parameters. Returns the URL of the database behind it.
 */
export async function startPgBouncer(
  databaseUrl: string,
  poolMode: 'session' | 'transaction' | 'statement',
  folder: string,
) {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl)
  const listenPort = await freePort()
  const file = join(folder, `${poolMode}.ini`)
  await writeFile(
    file,
    `[databases]
pooled = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
ignore_startup_parameters = options,statement_timeout,extra_float_digits
`,
  )
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  await chmod(folder, 0o755)
  const server = await startWebServer('pgbouncer', [...user, file], { port: listenPort })
  return { url: `postgres://brevis@127.0.0.1:${listenPort}/pooled`, stop: server.stop }
}
