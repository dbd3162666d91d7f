/** The message of a worker that accepts connections. */
export type Listening = { type: 'brevis:listening' }

/** The message with the reason why a worker cannot start. */
export type StartupFailure = { type: 'brevis:startup-failure'; reason: string }

/**
 * Reports to the parent process why this worker cannot start, and ends the worker. The parent logs
 * the reason or tries again. Without a parent, prints the reason.
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
