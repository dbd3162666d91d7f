import { AppError } from '../errors.ts'
import { describeDatabase } from './database-url.ts'

/** Thrown if a connection cannot be opened. The message names the database without its password. */
export class ConnectionError extends Error {
  readonly code: string

  constructor(url: string, cause: Error) {
    const reason = getReason(cause)
    super(
      `cannot connect to the database at ${describeDatabase(url)} (DATABASE_URL): ${reason}${findHint(reason)}`,
      { cause },
    )
    this.code = (cause as { code?: string }).code ?? ''
  }
}

/** Converts an error of opening a connection. */
export function toConnectionError(url: string, error: unknown): unknown {
  const isKnown = error instanceof AppError || error instanceof ConnectionError
  return error instanceof Error && !isKnown ? new ConnectionError(url, error) : error
}

/**
 * Returns the message of an error. If a host has several addresses, the message is empty, and the
 * error of each address has its own.
 */
function getReason(error: Error): string {
  if (error instanceof AggregateError && error.message === '') return getReason(error.errors[0])
  return error.message || error.name
}

/** Remedies for messages of the server and the driver that do not name the setting to change. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/client password must be a/, 'The URL has no password, and the server requires one.'],
  [
    /unsupported startup parameter/,
    'This is PgBouncer: use session mode and set its ignore_startup_parameters, as docs/scaling.md describes, or connect to PostgreSQL directly.',
  ],
  [
    /certificate|SSL|no encryption|wrong version number/i,
    'The settings of sslmode are in docs/settings.md.',
  ],
]

function findHint(reason: string): string {
  const hint = HINTS.find(([pattern]) => pattern.test(reason))?.[1]
  return hint ? `. ${hint}` : ''
}

/** Returns whether a statement failed because the database is read-only, such as a replica. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '25006'
}
