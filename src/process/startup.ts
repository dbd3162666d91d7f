import { createHook } from 'node:async_hooks'
import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A destination for log lines. */
type LogStream = { write(line: string): void }

/** Matches an escape sequence that sets a color. */
const COLOR = /^.\[\d{1,3}m/

/** The message of a worker that accepts connections. */
export type Listening = { type: 'brevis:listening' }

/** The message with the reason why a process cannot start. */
export type StartupFailure = { type: 'brevis:startup-failure'; reason: string }

/** Never released, so that V8 does not forget the shape of these objects. */
const retained: object[] = []

const INTERVAL_MS = 5000

/** The maximum share of an interval for which the event loop of an idle process is busy. */
const MAX_UTILIZATION = 0.05

/**
 * Lowers the priority of all threads of this process, so that redirects come first where processors
 * are few. Never raises it, which only root may do: the whole service may already run at a lower
 * priority.
 */
export function lowerPriority(nice: number): void {
  const lowered = Math.max(getPriority(), nice)
  setPriority(lowered)
  for (const thread of listThreads()) {
    try {
      setPriority(thread, lowered)
    } catch {
      // The thread has ended.
    }
  }
}

/**
 * Returns the ids of this process's threads. Linux has a priority per thread. Later threads inherit
 * it, but those that collect garbage, a quarter of the importer's processor time, start before any
 * of our code.
 */
function listThreads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return []
  }
}

/**
 * Collects garbage once, as soon as the process has been idle for a while. V8 does not do so in an
 * idle process, so the garbage of the startup would stay in memory. It takes a fraction of a
 * second: docs/performance-notes.md.
 */
export function collectStartupGarbage(): void {
  let lastUtilization = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, lastUtilization)
    lastUtilization = now
    if (utilization > MAX_UTILIZATION) return
    clearInterval(timer)
    setFlagsFromString('--expose-gc')
    const collect: NodeJS.GCFunction = runInNewContext('gc')
    // An ordinary collection keeps the memory for later.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }, INTERVAL_MS)
  timer.unref()
}

/**
 * Reports to the parent process why this process cannot start, and ends it. The parent logs the
 * reason or tries again. Without a parent, prints the reason.
 */
export async function exitWithError(error: unknown): Promise<never> {
  const reason = error instanceof Error ? error.message : String(error)
  const message: StartupFailure = { type: 'brevis:startup-failure', reason }
  await new Promise<unknown>((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, resolve)
    else resolve(process.stderr.write(`brevis: ${reason}\n`))
  })
  process.exit(1)
}

/** Returns the result of a step of the startup, or ends the process with `exitWithError`. */
export async function orExit<T>(step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    return exitWithError(error)
  }
}

/**
 * Returns a stream that formats log lines for a terminal, with colors and local time. Returns
 * undefined if there is no terminal. The formatter is loaded on demand.
 */
export async function createTerminalLog(): Promise<LogStream | undefined> {
  if (!process.stdout.isTTY) return
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:yyyy-mm-dd HH:MM:ss' })
  return {
    write(line) {
      process.stdout.write(replaceControls(format(line)))
    },
  }
}

/** Replaces control characters with visible symbols, except for colors and line breaks. */
export function replaceControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control, at: number) => {
    const harmless = control === '\n' || control === '\t' || COLOR.test(text.slice(at, at + 6))
    return harmless ? control : '\ufffd'
  })
}

/**
 * Retains one of the objects that `process.nextTick` creates. V8 forgets the shape of an object
 * when garbage collection removes its last instance, and the code that creates ticks then stays on
 * its slow path. A request creates four ticks. Without this function, a long-running worker spends
 * a sixth of its time there (0.7 µs per tick instead of 0.1, measured with Node.js 24.21 and
 * 26.10).
 */
export function retainTickShape(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') retained.push(resource)
    },
  })
  hook.enable()
  process.nextTick(() => {})
  hook.disable()
}
