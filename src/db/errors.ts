import { AppError, type ErrorCode, invalid } from '../errors.ts'
import { ConnectionError } from './connection-error.ts'

/** The error code for a violated unique constraint, by the name of the constraint. */
const constraintErrors: Record<string, ErrorCode> = {
  users_email_key: 'email_taken',
  accounts_username_key: 'username_taken',
  links_alias_key: 'alias_taken',
  bio_pages_alias_key: 'alias_taken',
  qr_codes_alias_key: 'alias_taken',
  campaigns_slug_key: 'slug_taken',
  domains_host_key: 'domain_taken',
}

/** Connection failures as reported by Node.js and the driver. */
const connectionErrors =
  /^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)|Query read timeout|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|not queryable/

/** Returns whether PostgreSQL rejected a value or row, and not the entire statement. */
export function isRowError(error: unknown): boolean {
  return error instanceof Error && /^2[23]/.test((error as { code?: string }).code ?? '')
}

/** Returns whether PostgreSQL canceled a statement because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '57014'
}

/** Returns whether a statement failed because a table does not exist. */
export function isUndefinedTable(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '42P01'
}

/** Returns whether an error means that the database is currently unreachable. */
export function isUnavailable(error: unknown): boolean {
  const converted = convertDatabaseError(error)
  return converted instanceof AppError && converted.code === 'database_unavailable'
}

/**
 * Converts errors from PostgreSQL and from the connection to AppErrors. Returns other errors
 * unchanged. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function convertDatabaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error
  const { code = '', constraint = '' } = error as { code?: string; constraint?: string }
  const options = { cause: error }
  if (error instanceof ConnectionError) return new AppError('database_unavailable', options)
  if (constraint === 'links_alias_held') {
    return new AppError('alias_held', { ...options, field: 'alias' })
  }
  if (constraint === 'links_destination_held') {
    return new AppError('destination_held', { ...options, field: 'url' })
  }
  // A unique violation.
  if (code === '23505') return new AppError(constraintErrors[constraint] ?? 'name_taken', options)
  // A foreign key violation.
  if (code === '23503' && constraint === 'links_domain_id_fkey') {
    const isMissing = (error as { detail?: string }).detail?.includes('is not present')
    if (isMissing) return invalid('domain', 'not_own_domain', {}, options)
    return new AppError('domain_in_use', options)
  }
  if (code === '23503') return new AppError('not_found', options)
  // A data exception.
  if (/^22/.test(code)) return new AppError('invalid_input', options)
  // A deadlock or serialization failure: the client may retry.
  if (/^40/.test(code)) return new AppError('busy', options)
  // Connection problems, insufficient resources, shutdowns, timeouts and read-only servers. A pooler
  // in transaction mode loses prepared statements.
  if (
    /^(08|53|57P|57014|25006|26000|42P05)/.test(code) ||
    connectionErrors.test(code || error.message)
  ) {
    return new AppError('database_unavailable', options)
  }
  return error
}
