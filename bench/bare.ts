import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SERVER_CORE } from './processes.ts'
import { findFreePort, startProcess, waitForResponse } from './server-process.ts'
import { createVisitScript } from './visits.ts'
import { runWrk } from './wrk.ts'

/** Starts a minimal redirect server on the core that is used for the server under test. */
export async function startBare(name: 'bare-http' | 'bare-fastify') {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-bare-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const file = fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))
  const server = startProcess(file, {
    cores: [SERVER_CORE],
    cwd: folder,
    env: { PORT: String(port) },
  })
  await waitForResponse(server, `${url}/x`)
  return {
    url,
    pid: server.pid,
    async [Symbol.asyncDispose](): Promise<void> {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Returns the redirects per second of bare Fastify, to which other rates are compared. */
export async function measureBareRate(seconds: number): Promise<number> {
  await using bare = await startBare('bare-fastify')
  const script = createVisitScript(['bench-1'])
  await runWrk({ url: bare.url, script, seconds: 2 })
  return (await runWrk({ url: bare.url, script, seconds })).rate
}
