/** The message with the reason why a worker cannot serve. */
export type StartupFailure = { type: 'brevis:startup-failure'; reason: string }

/**
 * Reports why this worker cannot serve to its parent, which logs it or retries, and ends the
 * worker.
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
