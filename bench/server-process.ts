import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createChildEnvironment } from '../src/config.ts'

export type ServerProcess = {
  pid: number
  /** Returns the output so far. */
  output: () => string
  stop(): Promise<void>
}

const STOP_TIMEOUT_MS = 15_000
/** The cache of compiled code that `npm start` uses. */
const COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/brevis', import.meta.url))

/**
 * Runs a TypeScript file on the given cores, with the Node.js that runs the benchmark. `cwd` must be
 * a folder without `.env`, so that only `env` configures the program.
 */
export function startProcess(
  file: string,
  {
    cores,
    cwd,
    env = {},
    wrapper = [],
  }: {
    cores: readonly number[]
    cwd: string
    env?: Record<string, string>
    /** The start of a command that runs the program, for example in a control group. */
    wrapper?: readonly string[]
  },
): ServerProcess {
  const command = [...wrapper, 'taskset', '-c', cores.join(','), process.execPath, file]
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd,
    env: createChildEnvironment({ NODE_COMPILE_CACHE: COMPILE_CACHE, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.once('error', (error) => {
    output += error.message
  })
  return { pid: child.pid ?? 0, output: () => output, stop: () => stopProcess(child) }
}

/** Waits until `url` responds with one of `statuses`. */
export async function waitForResponse(
  server: ServerProcess,
  url: string,
  { statuses = [200, 302], timeoutMs = 60_000 } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    if (statuses.includes(await fetchStatus(url))) return
    await sleep(10)
  }
  throw new Error(`${url} did not respond within ${timeoutMs} ms:\n${server.output().slice(-2000)}`)
}

async function fetchStatus(url: string): Promise<number> {
  try {
    const response = await fetch(url, { redirect: 'manual' })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

/** Returns a port that is currently free. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}
