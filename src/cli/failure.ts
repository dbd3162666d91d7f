import { fromDatabase } from '../db/errors.ts'
import { AppError } from '../errors.ts'

/** PostgreSQL repeats a value that it cannot read, however long it is. */
const LONGEST = 1000

/**
 * What went wrong, on one line and in words for whoever runs the service, without what a terminal
 * would obey. Options are called what the domain calls their fields, so that an error needs no other
 * name for its field.
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
    .slice(0, LONGEST)
}

function reasonOf(error: unknown): string {
  // Where a name has several addresses, the message is empty and each of them has its own.
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}
