import { createHash } from 'node:crypto'

/** Returns the id of an installation for files, logs and people. It does not reveal the token. */
export function getInstallationId(token: string): string {
  return createHash('sha256').update(`installation ${token}`).digest('hex').slice(0, 12)
}

/** Why a database belongs to no installation, and the remedy. */
export const EMPTY =
  'it has no tables of Brevis. Correct DATABASE_URL, restore a backup, or run npx brevis migrate'

/** Thrown if a database belongs to another installation than this process. */
export class OtherInstallationError extends Error {
  /** Whether the database belongs to no installation: it is empty, or being restored. */
  readonly isEmpty: boolean

  constructor(found: string | undefined, expected: string) {
    const [foundId, expectedId] = [found, expected].map(
      (token) => token && getInstallationId(token),
    )
    const hint = found === undefined ? `: ${EMPTY}` : ''
    super(
      `the database is now installation ${foundId ?? 'unknown'} instead of ${expectedId}${hint}`,
    )
    this.isEmpty = found === undefined
  }
}

/** Returns why a new connection was rejected, if it leads to another installation. */
export function findOtherInstallation(error: unknown): OtherInstallationError | undefined {
  const { cause } = error as { cause?: unknown }
  return [error, cause].find((each) => each instanceof OtherInstallationError)
}
