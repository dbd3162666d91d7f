import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { send } from './http.ts'
import { until } from './processes.ts'
import { listProcesses } from './running-processes.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Long, because concurrent test files may slow down a start. */
const START_TIMEOUT_MS = 90_000

export type Service = Awaited<ReturnType<typeof launch>>

type Launch = {
  env: NodeJS.ProcessEnv
  /** The working directory, by default the checkout. */
  cwd?: string
  command?: readonly [string, ...string[]]
}

/**
 * Starts the service, by default with `npm start`, as the leader of a new process group and with only
 * these environment variables. Call `end` even if it has exited.
 */
export async function launch({ env, cwd = ROOT, command = ['npm', 'start'] }: Launch) {
  const [program, ...args] = command
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const waitForExit = once(child, 'exit')
  await once(child, 'spawn')
  const group = child.pid ?? 0
  const origin = `http://127.0.0.1:${env.PORT}`
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  return {
    origin,
    pid: group,
    stdout: () => stdout,
    /** Returns the service's own stderr, without npm's messages. */
    stderr: () => stderr.replaceAll(/^npm .*\n/gm, ''),
    hasEnded,
    /** Resolves with the exit code when the started process ends. */
    waitForExit: async (): Promise<number | null> => (await waitForExit)[0],
    /** Resolves when the service can be used. */
    async waitUntilReady(): Promise<void> {
      const isReady = async () => {
        if (hasEnded()) throw new Error(`the service ended: ${stderr}`)
        return (await getStatus(`${origin}/health/ready`)) === 200
      }
      await until('the service is ready', isReady, { timeoutMs: START_TIMEOUT_MS, intervalMs: 50 })
    },
    /** Returns its processes and the files they run. The database has another process group. */
    listProcesses: () => listGroup(group),
    /** Sends a signal to the started process. */
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** Sends a signal to all its processes, like a terminal. */
    signalAll: (signal: NodeJS.Signals) => process.kill(-group, signal),
    /** Ends all remaining processes. */
    async end(): Promise<void> {
      if ((await listGroup(group)).length > 0) process.kill(-group, 'SIGKILL')
      await waitForExit
    },
  }
}

/** Returns the status of a GET, or undefined without a response. */
async function getStatus(url: string): Promise<number | undefined> {
  const reply = await send(url).catch(() => undefined)
  return reply?.status
}

async function listGroup(group: number): Promise<{ pid: number; file: string }[]> {
  const all = await listProcesses((process) => process.group === group)
  return all.map(({ pid, command }) => ({ pid, file: command.split(' ').at(-1) ?? '' }))
}
