import type { Context } from '../../src/context.ts'

/** Does something while as many passwords of links are being checked as may be; gives its result. */
export async function whileBusy<Result>(
  { passwords: { visits } }: Pick<Context, 'passwords'>,
  act: () => Promise<Result>,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const checks: Promise<void>[] = []
  // Each for somebody else, since nobody has all the places.
  while (!visits.isFullFor(checks.length)) {
    checks.push(visits.inTurn(checks.length, () => promise))
  }
  try {
    return await act()
  } finally {
    resolve()
    await Promise.all(checks)
  }
}
