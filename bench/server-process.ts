import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../src/config.ts'

export type ServerProcess = {
  pid: number
  /** Returns everything printed so far. */
  output: () => string
  stop(): Promise<void>
}

const STOP_TIMEOUT_MS = 15_000
/** The cache of compiled code that `npm start` uses. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/brevis', import.meta.url))

/**
 * Starts a TypeScript file with this Node.js on some cores, in `cwd`, so that no `.env` is loaded.
 */
export function startProcess(
  file: string,
  { cores, cwd, env = {} }: { cores: readonly number[]; cwd: string; env?: Record<string, string> },
): ServerProcess {
  const child = spawn('taskset', ['-c', cores.join(','), process.execPath, file], {
    cwd,
    env: childEnvironment({ NODE_COMPILE_CACHE: COMPILE_CACHE, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  child.once('error', (error) => {
    printed += error.message
  })
  return { pid: child.pid ?? 0, output: () => printed, stop: () => end(child) }
}

/** Waits until `url` responds with one of the statuses. */
export async function untilAnswering(
  server: ServerProcess,
  url: string,
  { statuses = [200, 302], within = 60_000 } = {},
): Promise<void> {
  const deadline = performance.now() + within
  while (performance.now() < deadline) {
    if (statuses.includes(await statusOf(url))) return
    await sleep(10)
  }
  throw new Error(`${url} did not answer within ${within} ms:\n${server.output().slice(-2000)}`)
}

async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { redirect: 'manual' })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

/** Returns a currently free port. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}
