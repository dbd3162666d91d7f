import { type ChildProcess, fork } from 'node:child_process'
import type { FastifyBaseLogger } from 'fastify'
import { createRepetitionCheck } from '../concurrency/memo.ts'
import { createChildEnvironment } from '../config.ts'
import { getProgramPath, SMALL_HEAP } from '../program.ts'
import { relayMetrics } from './metrics-relay.ts'
import type { StartupFailure } from './startup.ts'
import { watchProcess } from './watchdog.ts'
import { startWorkers } from './workers.ts'

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

type KeptProcess = {
  /** Disables restarts. */
  disableRestart(): void
  /** Asks the process to finish its work, and waits until it has ended. */
  stop(): Promise<void>
}

type BackgroundProcess = 'importer' | 'hand-over'

/** The pause before a restart. It doubles while the process ends soon after its start. */
const RESTART_MS = 250
const MAX_PAUSE_MS = 5000

type SupervisorOptions = {
  workers: number
  /** The process for everything else. */
  background: BackgroundProcess
  /** The database, unless this is an edge. */
  databaseUrl: string | undefined
  /** The seconds after which a process that does not answer is replaced, or 0. */
  watchdogSeconds: number
  /** Resolves when the background process may start. Workers do not wait for it. */
  prepared: Promise<void>
  /** Whether the background process starts after the workers are ready. Defaults to true. */
  workersFirst?: boolean
  /** Prevents all further starts when it aborts. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Supervisor = {
  /**
   * Resolves when the workers are ready, with the reason if they refuse to serve. Rejects with the
   * reason if none of them can start.
   */
  serving: Promise<{ refusal: string | undefined }>
  /**
   * Stops the workers, then the background process, so that the importer still imports the workers'
   * last clicks.
   */
  stop(): Promise<void>
}

/**
 * Starts the HTTP workers and the background process, and restarts those that die. If the importer
 * shared an event loop with HTTP, it would cost a third of the redirects. The background process
 * starts after the workers are ready, so that it does not slow down startup.
 */
export function supervise({
  workers,
  background,
  databaseUrl,
  watchdogSeconds,
  prepared,
  workersFirst = true,
  signal,
  log,
}: SupervisorOptions): Supervisor {
  relayMetrics()
  const { serving, ...http } = startWorkers({
    count: workers,
    databaseUrl,
    watchdogSeconds,
    signal,
    log,
  })
  const ready = workersFirst ? Promise.all([serving, prepared]) : prepared
  const backgroundProcess = keepProcess(background, {
    ready,
    databaseUrl,
    watchdogSeconds,
    signal,
    log,
  })

  async function stop(): Promise<void> {
    backgroundProcess.disableRestart()
    await http.stop()
    await backgroundProcess.stop()
  }

  return { serving, stop }
}

/** Runs a background process and restarts it when it dies. */
function keepProcess(
  name: BackgroundProcess,
  { ready, databaseUrl, watchdogSeconds, signal, log }: Options,
): KeptProcess {
  let child: ChildProcess | undefined
  let isStopping = false
  let pause = RESTART_MS
  const isNews = createRepetitionCheck()

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
    const startedAt = performance.now()
    let reason: string | undefined
    child.on('message', (message: StartupFailure) => {
      if (message.type === 'brevis:startup-failure') reason = message.reason
    })
    child.once('exit', (code, exitSignal) => {
      child = undefined
      if (isStopping) return
      const details = { code, signal: exitSignal, reason }
      if (isNews(JSON.stringify(details))) {
        log.error(details, `the ${name} died and is being restarted`)
      }
      const hasWorked = performance.now() - startedAt > MAX_PAUSE_MS
      pause = hasWorked ? RESTART_MS : Math.min(MAX_PAUSE_MS, pause * 2)
      setTimeout(start, pause)
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
