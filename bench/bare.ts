import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SERVER_CORE } from './processes.ts'
import { freePort, startProcess, untilAnswering } from './server-process.ts'

/** A server that answers redirects and does nothing else, on the core of what it is compared with. */
export async function startBare(name: 'bare-http' | 'bare-fastify') {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-bare-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const file = fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))
  const server = startProcess(file, {
    cores: [SERVER_CORE],
    cwd: folder,
    env: { PORT: String(port) },
  })
  await untilAnswering(server, `${url}/x`)
  return {
    url,
    pid: server.pid,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
