import closeWithGrace from 'close-with-grace'
import type { FastifyBaseLogger } from 'fastify'

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

type ShutdownOptions = {
  /** The signals that end the process. */
  on: readonly Signal[]
  /**
   * The signals to ignore. A terminal sends them to every process, but another process decides when
   * to stop.
   */
  ignore?: readonly Signal[]
  /** The maximum number of milliseconds for `close`. */
  closeTimeoutMs: number
  log: Pick<FastifyBaseLogger, 'error' | 'fatal'>
}

/**
 * Runs `close` on the first signal or uncaught error, then ends the process. The exit code is 0, or
 * 1 after an error or a timeout. Further signals are ignored, because the same signal may arrive
 * twice: from the terminal or service manager, and forwarded by npm or the supervisor.
 */
export function shutDownGracefully(
  { on, ignore = [], closeTimeoutMs, log }: ShutdownOptions,
  close: () => Promise<void>,
): void {
  let closing: Promise<void> | undefined
  const grace = closeWithGrace(
    { delay: closeTimeoutMs, logger: log, skip: ['SIGINT', 'SIGTERM', 'SIGHUP'] },
    async ({ err }) => {
      if (err) log.fatal({ err }, 'stopping after an error')
      closing ??= close()
      await closing
    },
  )
  for (const signal of on) process.on(signal, grace.close)
  for (const signal of ignore) process.on(signal, () => {})
}
