import type { Context } from '../../src/context.ts'

/**
 * Runs something while the maximum number of link passwords is being verified. Returns its result.
 */
export async function whilePasswordChecksAreBusy<Result>(
  { passwords: { visits } }: Pick<Context, 'passwords'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const checks: Promise<void>[] = []
  // Different callers, because none can use all slots.
  while (!visits.isFullFor(checks.length)) {
    checks.push(visits.runQueued(checks.length, () => promise))
  }
  try {
    return await run()
  } finally {
    resolve()
    await Promise.all(checks)
  }
}
