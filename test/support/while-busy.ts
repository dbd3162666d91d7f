import type { Services } from '../../src/services.ts'

/** Does something while as many passwords of links are being checked as may be; gives its result. */
export async function whileBusy<Result>(
  { visitPasswords }: Pick<Services, 'visitPasswords'>,
  act: () => Promise<Result>,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const checks: Promise<void>[] = []
  // Each for somebody else, since nobody has all the places.
  while (!visitPasswords.isFullFor(checks.length)) {
    checks.push(visitPasswords.inTurn(checks.length, () => promise))
  }
  try {
    return await act()
  } finally {
    resolve()
    await Promise.all(checks)
  }
}
