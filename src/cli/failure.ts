import { fromDatabase } from '../db/errors.ts'
import { AppError } from '../errors.ts'

/**
 * What went wrong, on one line and in words for whoever runs the service. Options are called what the
 * domain calls their fields, so that an error needs no other name for its field.
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
    .trim()
}

function reasonOf(error: unknown): string {
  // Where a name has several addresses, the message is empty and each of them has its own.
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}
