import { fromDatabase } from '../db/errors.ts'
import { AppError } from '../errors.ts'

/** Truncates messages: PostgreSQL repeats invalid values in full. */
const MAX_LENGTH = 1000

/**
 * Describes an error on one line, without terminal control characters. Options have the same names
 * as internal fields, so field names need no translation.
 */
export function describeFailure(error: unknown): string {
  const known = fromDatabase(error)
  const reason =
    known instanceof AppError && known.code === 'database_unavailable'
      ? `the database does not answer: ${reasonOf(known.cause)}`
      : reasonOf(known)
  return reason
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll(/\p{Cc}/gu, '\ufffd')
    .trim()
    .slice(0, MAX_LENGTH)
}

function reasonOf(error: unknown): string {
  // If a host has several addresses, the message is empty and each error has its own.
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}
