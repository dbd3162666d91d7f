import type { Context } from '../../src/context.ts'

/** Calls `run` while as many link passwords as allowed are being verified. Returns its result. */
export async function whilePasswordChecksAreBusy<Result>(
  { passwords: { visits } }: Pick<Context, 'passwords'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const checks: Promise<void>[] = []
  // Each check has another caller, because one caller cannot use all slots.
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
