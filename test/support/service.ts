import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { send } from './http.ts'
import { until } from './processes.ts'
import { runningProcesses } from './running-processes.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Files of tests that run side by side may leave a start little of the processor. */
const STARTS_WITHIN = 90_000

export type Service = Awaited<ReturnType<typeof launch>>

type Launch = {
  env: NodeJS.ProcessEnv
  /** Where it runs; the checkout by default. */
  cwd?: string
  command?: readonly [string, ...string[]]
}

/**
 * Starts the service, by `npm start` unless told otherwise, as the leader of a process group of its
 * own with these settings and no others. `end` it in any case.
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
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  const group = child.pid ?? 0
  const origin = `http://127.0.0.1:${env.PORT}`
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null

  return {
    origin,
    pid: group,
    stdout: () => stdout,
    /** What the service itself wrote, without npm's remarks. */
    stderr: () => stderr.replaceAll(/^npm .*\n/gm, ''),
    hasEnded,
    /** Ends with the exit code when the process that was started has ended. */
    exited: async (): Promise<number | null> => (await exited)[0],
    /** Ends when it can be used. */
    async ready(): Promise<void> {
      const answers = async () => {
        if (hasEnded()) throw new Error(`the service ended: ${stderr}`)
        return (await statusOf(`${origin}/health/ready`)) === 200
      }
      await until('the service is ready', answers, { within: STARTS_WITHIN, every: 50 })
    },
    /** Its processes by the file that they run; the database is not in its group. */
    processes: () => processesOf(group),
    /** Signals the process that was started, as `kill` with its pid does. */
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** Signals all its processes, as a terminal does. */
    signalAll: (signal: NodeJS.Signals) => process.kill(-group, signal),
    /** Ends what is left of it. */
    async end(): Promise<void> {
      if ((await processesOf(group)).length > 0) process.kill(-group, 'SIGKILL')
      await exited
    },
  }
}

/** The status of a GET, or undefined when nobody answers. */
async function statusOf(url: string): Promise<number | undefined> {
  const reply = await send(url).catch(() => undefined)
  return reply?.status
}

async function processesOf(group: number): Promise<{ pid: number; file: string }[]> {
  const all = await runningProcesses((process) => process.group === group)
  return all.map(({ pid, command }) => ({ pid, file: command.split(' ').at(-1) ?? '' }))
}
