import type { Values } from './messages.ts'
import { getLanguage, type TextKey, type TextsIn, translate } from './texts.ts'

/**
 * All errors that clients may see, with their status. The source refers to an error by its code. The
 * client receives the status and the message, which is in the catalogs as `errors.<code>`. Some
 * clients compare the English messages, so they must not change.
 */
const statuses = {
  invalid_input: 400,
  malformed_request: 400,
  key_required: 401,
  edge_token_required: 401,
  account_suspended: 403,
  registration_closed: 403,
  too_many_links: 403,
  too_many_passkeys: 403,
  too_many_keys: 403,
  too_many_qr_codes: 403,
  too_many_bio_pages: 403,
  storage_full: 403,
  link_blocked: 403,
  scope_too_narrow: 403,
  key_bound: 403,
  form_expired: 403,
  sign_in_expired: 403,
  role_too_low: 403,
  no_account: 403,
  too_many_invitations: 403,
  password_sign_in_off: 403,
  sign_in_again: 403,
  provider_sign_in_failed: 403,
  provider_user_unknown: 403,
  provider_email_unverified: 403,
  provider_user_unconfirmed: 403,
  provider_user_unconnected: 403,
  provider_user_taken: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  alias_taken: 409,
  alias_held: 409,
  destination_held: 409,
  slug_taken: 409,
  domain_taken: 409,
  domain_in_use: 409,
  email_taken: 409,
  username_taken: 409,
  name_taken: 409,
  last_admin: 409,
  last_owner: 409,
  already_member: 409,
  member_changed: 409,
  idempotency_conflict: 409,
  link_changed: 409,
  clicks_counted: 409,
  edge_differs: 409,
  reset_link_invalid: 410,
  invitation_invalid: 410,
  edge_outdated: 410,
  gone: 410,
  body_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  not_on_edge: 421,
  rate_limited: 429,
  changed_too_often: 429,
  new_account_limited: 429,
  registration_limited: 429,
  headers_too_large: 431,
  internal: 500,
  provider_unavailable: 503,
  too_slow: 503,
  busy: 503,
  database_unavailable: 503,
} as const satisfies Record<TextsIn<'errors'>, number>

export type ErrorCode = keyof typeof statuses

/** What is wrong with a field: a text in `problems` of the catalogs that follows the field's name. */
export type ProblemCode = TextsIn<'problems'>

/** The name of a field, or the position of a column without a name. */
export type Subject = string | number

/**
 * A text of the catalogs, which is translated where it is shown. `subject` is the field or column
 * whose name comes before it.
 */
export type Message = { key: TextKey; args?: Values; subject?: Subject }

/** What is wrong. Text from elsewhere, such as another service, has no translation. */
export type Problem = Message | string

type Options = ErrorOptions & {
  /** The internal path of the invalid field, such as `alias` or `geoTargets[0].location`. */
  field?: string
  problem?: ProblemCode
  /** A sentence of the catalogs that is more specific than the one of the code. */
  text?: TextKey
  /** The arguments of the problem or the sentence. */
  args?: Values
  /** A sentence that is not in the catalogs, such as one of a validator. */
  message?: string | undefined
  /** The number of seconds after which to retry, if known. */
  retryAfter?: number
}

/** An error that a client may see. For all other errors, clients receive `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly field: string | undefined
  readonly problem: ProblemCode | undefined
  /** The text without the name of the field. */
  readonly text: Problem
  readonly retryAfter: number | undefined
  /** The errors of other checks that `checkAll` has run. Forms show all of them. */
  others: readonly AppError[] = []

  constructor(
    code: ErrorCode,
    { field, problem, text, args, message, retryAfter, ...options }: Options = {},
  ) {
    const key = problem ? (`problems.${problem}` as const) : (text ?? (`errors.${code}` as const))
    const ownText = message ?? { key, ...(args && { args }) }
    super(formatProblem(addSubject(ownText, problem && field), 'en'), options)
    this.name = 'AppError'
    this.code = code
    this.status = statuses[code]
    this.field = field
    this.problem = problem
    this.text = ownText
    this.retryAfter = retryAfter
  }
}

/** Creates the error for an input field. `messageWith` replaces the internal name of the field. */
export function invalid(
  field: string,
  problem: ProblemCode,
  args?: Values,
  options?: ErrorOptions,
): AppError {
  return new AppError('invalid_input', { ...options, field, problem, ...(args && { args }) })
}

/** A check of one or more fields. `hasFailed` is whether one before it has found an error. */
type Check = (hasFailed: boolean) => unknown
/** The results of checks, in their order. */
type Results<Checks extends readonly Check[]> = {
  [Index in keyof Checks]: Awaited<ReturnType<Checks[Index]>>
}

/** The number of errors after which no further checks run. A form shows far fewer. */
const MAX_ERRORS = 100

/**
 * Runs every check and returns their results. Throws the first error, with up to 99 errors of the
 * other checks as its `others`.
 */
export function checkAll<const Checks extends readonly Check[]>(
  ...checks: Checks
): Results<Checks> {
  const errors: AppError[] = []
  const results: unknown[] = []
  for (const check of checks) {
    if (errors.length >= MAX_ERRORS) break
    try {
      results.push(check(errors.length > 0))
    } catch (error) {
      results.push(addError(errors, error))
    }
  }
  throwFirst(errors)
  return results as Results<Checks>
}

/** Runs checks like `checkAll`, one after the other. */
export async function checkAllAsync<const Checks extends readonly Check[]>(
  ...checks: Checks
): Promise<Results<Checks>> {
  const errors: AppError[] = []
  const results: unknown[] = []
  for (const check of checks) {
    if (errors.length >= MAX_ERRORS) break
    try {
      results.push(await check(errors.length > 0))
    } catch (error) {
      results.push(addError(errors, error))
    }
  }
  throwFirst(errors)
  return results as Results<Checks>
}

/** Adds an error of a check, unless its field has one. A failure of the service ends the checks. */
export function addError(errors: AppError[], error: unknown): undefined {
  if (!(error instanceof AppError) || error.status >= 500) {
    throwFirst(errors)
    throw error
  }
  const fields = new Set(errors.map(({ field }) => field))
  const isNew = ({ field }: AppError) => field === undefined || !fields.has(field)
  errors.push(...[error, ...error.others].filter(isNew))
}

/** Throws the first of the errors, if there are any, with the others attached. */
export function throwFirst([first, ...others]: readonly AppError[]): void {
  if (!first) return
  first.others = others
  throw first
}

/** Returns an error about another field, such as the one that contains the field's value. */
export function withField({ code, problem, text }: AppError, field: string): AppError {
  const args = typeof text === 'string' ? undefined : text.args
  return new AppError(code, { field, ...(problem && { problem }), ...(args && { args }) })
}

/** Returns a problem in a language, by default in the language of the request. */
export function formatProblem(problem: Problem, language = getLanguage()): string {
  if (typeof problem === 'string') return problem
  const { key, args, subject } = problem
  const text = translate(language, key, args)
  if (subject === undefined) return text
  return `${formatSubject(subject, language)} ${text}`
}

/** Returns the name of a field, or the position of a column without a name, such as `Column 3`. */
export function formatSubject(subject: Subject, language = getLanguage()): string {
  if (typeof subject === 'string') return subject
  return translate(language, 'importColumns.unnamed', { position: subject })
}

/** Returns what is wrong, with the name of the field if the error has one. */
export function toProblem(
  { field, problem, text }: AppError,
  name: (field: string) => Subject = (path) => path,
): Problem {
  return addSubject(text, problem && field !== undefined ? name(field) : undefined)
}

function addSubject(problem: Problem, subject: Subject | undefined): Problem {
  return subject === undefined || typeof problem === 'string' ? problem : { ...problem, subject }
}

/**
 * The names of fields in an API or page, by internal name. Fields with the same name are omitted. A
 * key may be a path such as `meta.title`. It replaces the start of an error's path.
 */
export type FieldNames = Readonly<Record<string, string>>

/** Returns the English message of an error, with the field renamed by `names`. */
export function messageWith(names: FieldNames, error: AppError): string {
  return formatProblem(
    toProblem(error, (field) => renameField(names, field)),
    'en',
  )
}

/** Returns the path of a field, renamed by `names`. */
export function renameField(names: FieldNames, field: string): string {
  for (const [internalName, name] of Object.entries(names)) {
    const rest = field.slice(internalName.length)
    if (field.startsWith(internalName) && ['', '.', '['].includes(rest.charAt(0)))
      return name + rest
  }
  return field
}
