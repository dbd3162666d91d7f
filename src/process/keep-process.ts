import { type ChildProcess, fork } from 'node:child_process'
import type { FastifyBaseLogger } from 'fastify'
import { createChildEnvironment } from '../config.ts'
import { getProgramPath, SMALL_HEAP } from '../program.ts'
import { watchProcess } from './watchdog.ts'

type Options = {
  /** Resolves when the process may be started. */
  ready: Promise<unknown>
  /** The database, unless this is an edge. */
  databaseUrl: string | undefined
  /** The seconds after which a process that does not answer is replaced, or 0. */
  watchdogSeconds: number
  /** Prevents all further starts when it aborts. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'error'>
}

export type KeptProcess = {
  /** Disables restarts. */
  disableRestart(): void
  /** Asks the process to finish its work, and waits until it has ended. */
  stop(): Promise<void>
}

export type BackgroundProcess = 'importer' | 'hand-over'

const RESTART_MS = 250

/** Runs a background process and restarts it when it dies. */
export function keepProcess(
  name: BackgroundProcess,
  { ready, databaseUrl, watchdogSeconds, signal, log }: Options,
): KeptProcess {
  let child: ChildProcess | undefined
  let isStopping = false

  function start(): void {
    if (isStopping || signal.aborted) return
    const env = createChildEnvironment(databaseUrl ? { DATABASE_URL: databaseUrl } : {})
    child = fork(getProgramPath(name), {
      env,
      detached: false,
      execArgv: [...process.execArgv, ...SMALL_HEAP],
    })
    watchProcess(child, watchdogSeconds, () =>
      log.error(`the ${name} does not answer and is replaced`),
    )
    child.once('exit', (code, exitSignal) => {
      child = undefined
      if (isStopping) return
      log.error({ code, signal: exitSignal }, `the ${name} died and is being restarted`)
      setTimeout(start, RESTART_MS)
    })
  }

  ready.then(start, () => {})

  return {
    disableRestart() {
      isStopping = true
    },
    async stop() {
      isStopping = true
      const running = child
      if (!running) return
      await new Promise<void>((resolve) => {
        running.once('exit', () => resolve())
        running.kill('SIGTERM')
      })
    },
  }
}
