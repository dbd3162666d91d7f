import { ConnectionError } from '../db/connection-error.ts'
import { convertDatabaseError } from '../db/errors.ts'
import { AppError } from '../errors.ts'

/** The maximum length of a message, because PostgreSQL repeats invalid values in full. */
const MAX_LENGTH = 1000

/**
 * Describes an error on one line, without terminal control characters. The names of options are the
 * same as those of internal fields, so they need no translation.
 */
export function describeFailure(error: unknown): string {
  const converted = convertDatabaseError(error)
  const isUnavailable = converted instanceof AppError && converted.code === 'database_unavailable'
  const isNamed = isUnavailable && converted.cause instanceof ConnectionError
  const reason =
    isUnavailable && !isNamed
      ? `the database does not respond: ${getReason(converted.cause)}`
      : getReason(isNamed ? converted.cause : converted)
  return reason
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll(/\p{Cc}/gu, '\ufffd')
    .trim()
    .slice(0, MAX_LENGTH)
}

function getReason(error: unknown): string {
  // If a host has several IP addresses, the message is empty, and the error of each address has its
  // own message.
  if (error instanceof AggregateError && error.message === '') return getReason(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}
