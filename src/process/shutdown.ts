import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

type ShutdownOptions = {
  /** Signals that end the process. */
  on: readonly Signal[]
  /** Signals to ignore, because a terminal sends them to every process and another one decides. */
  ignore?: readonly Signal[]
  /** Milliseconds that `close` may take. */
  within: number
  log: Pick<FastifyBaseLogger, 'error' | 'fatal'>
}

/**
 * Runs `close` on the first signal or uncaught error, then ends the process: with code 0, or with 1
 * after an error or a timeout. Ignores further signals, because the same signal may arrive twice:
 * from the terminal or service manager, and forwarded by npm or the supervisor.
 */
export function shutDownGracefully(
  { on, ignore = [], within, log }: ShutdownOptions,
  close: () => Promise<void>,
): void {
  let closing: Promise<void> | undefined
  const grace = closeWithGrace(
    { delay: within, logger: log, skip: ['SIGINT', 'SIGTERM', 'SIGHUP'] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'stopping after an error')
      closing ??= close()
      await closing
    },
  )
  for (const signal of on) process.on(signal, grace.close)
  for (const signal of ignore) process.on(signal, () => {})
}
