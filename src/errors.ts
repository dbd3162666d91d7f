/**
 * All errors that clients may see. The source refers to an error by its code. The client receives
 * the status and the message. Some clients compare these messages, so they must not change.
 */
const catalog = {
  invalid_input: [400, 'The request is not valid.'],
  malformed_request: [400, 'The request could not be understood.'],
  key_required: [401, 'A valid API key is required to use this service.'],
  edge_token_required: [401, 'A valid edge token is required.'],
  account_suspended: [403, 'This account has been suspended.'],
  registration_closed: [403, 'Registration is closed.'],
  too_many_links: [403, 'This account has reached its maximum number of links.'],
  too_many_passkeys: [403, 'You have as many passkeys as you may have. Remove one first.'],
  too_many_keys: [403, 'This account has as many keys as it may have. Revoke one first.'],
  too_many_qr_codes: [403, 'This account has as many QR codes as it may have.'],
  too_many_bio_pages: [403, 'This account has as many bio pages as it may have.'],
  storage_full: [
    403,
    'This account has used up its storage. Delete something, or ask the operator for more.',
  ],
  link_blocked: [403, 'The operator has disabled this link. Only the operator can enable it.'],
  scope_too_narrow: [403, 'This API key may not make this call.'],
  key_bound: [403, 'This API key is bound to a domain.'],
  form_expired: [403, 'This form has expired. Open the page again and retry.'],
  sign_in_expired: [403, 'This sign-in has expired. Sign in again.'],
  role_too_low: [403, "Your role in this account doesn't allow this. Ask an owner."],
  no_account: [403, "You aren't a member of any account. Ask for an invitation."],
  too_many_invitations: [403, 'This account has too many open invitations. Withdraw one first.'],
  password_sign_in_off: [403, 'Passwords are turned off here. Sign in another way.'],
  sign_in_again: [403, 'Sign in again to confirm this change, then retry within 10 minutes.'],
  provider_sign_in_failed: [403, 'Sign-in failed. Please try again.'],
  provider_user_unknown: [403, "You don't have access yet. Ask an admin for an invitation."],
  provider_email_unverified: [
    403,
    "A user with your email exists, but your provider hasn't verified the email. Sign in as before, then connect your provider under Settings.",
  ],
  provider_user_unconfirmed: [
    403,
    'A user with your email exists, but the email was never confirmed here. Sign in as before, then connect your provider under Settings, or ask an admin to confirm your email.',
  ],
  provider_user_unconnected: [
    403,
    'Your account has a second factor. Sign in with it, then connect your provider under Settings.',
  ],
  provider_user_taken: [403, 'Your email belongs to another person here. Ask an admin.'],
  forbidden: [403, 'This request is not allowed.'],
  not_found: [404, 'The requested resource was not found.'],
  method_not_allowed: [405, 'This method is not allowed here.'],
  alias_taken: [409, 'That alias is taken. Please choose another one.'],
  alias_held: [
    409,
    'That alias is reserved: its last link was disabled by an admin or deleted while it was reported. Please choose another one.',
  ],
  destination_held: [
    409,
    'That destination is reserved: your link to it was disabled by an admin or deleted while it was reported.',
  ],
  slug_taken: [409, 'That slug is taken. Please choose another one.'],
  domain_taken: [409, 'That domain is already in use.'],
  domain_in_use: [409, 'This domain still has links. Please delete or move them first.'],
  email_taken: [409, 'That email address is already in use.'],
  username_taken: [409, 'That username is taken. Please choose another one.'],
  name_taken: [409, 'That value is already taken.'],
  last_admin: [409, 'This is the only admin. Make someone else an admin first.'],
  last_owner: [409, 'An account needs an owner. Make someone else an owner first.'],
  already_member: [409, 'This person is already a member.'],
  member_changed: [409, "This member's role has been changed since. Please look again."],
  idempotency_conflict: [409, 'This Idempotency-Key was already used for another request.'],
  link_changed: [409, 'The link has been changed since it was shown. Please look again.'],
  clicks_counted: [409, 'These clicks do not begin where the last ones ended.'],
  edge_differs: [409, 'The edge and the main installation have different versions or settings.'],
  reset_link_invalid: [410, 'This link has expired or was already used. Request a new one.'],
  invitation_invalid: [410, 'This invitation has expired or was already used. Ask for a new one.'],
  edge_outdated: [410, 'The link store must be built again.'],
  gone: [410, 'This link is no longer available.'],
  body_too_large: [413, 'The request body is too large.'],
  uri_too_long: [414, 'The request URL is too long.'],
  unsupported_media_type: [415, 'The request body must be JSON.'],
  not_on_edge: [421, 'This server only serves short links. The console and the APIs are at'],
  rate_limited: [429, 'Too Many Requests. Please retry later.'],
  new_account_limited: [429, 'A new account can invite 3 people a day. Try again tomorrow.'],
  registration_limited: [429, 'Too many accounts were created from your network today.'],
  headers_too_large: [431, 'The request headers are too large.'],
  internal: [500, 'Something went wrong on our side. Please retry later.'],
  provider_unavailable: [503, "Your sign-in provider can't be reached. Try again in a minute."],
  too_slow: [
    503,
    'This took longer than allowed. Narrow it down with a filter, a shorter period or a smaller page.',
  ],
  busy: [503, 'The service is busy. Please retry later.'],
  database_unavailable: [503, 'The service is temporarily unavailable. Please retry later.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof catalog

/** An error that a client may see. For all other errors, clients receive `internal`. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** The internal path of the invalid field, such as `alias` or `geoTargets[0].location`. */
  readonly field: string | undefined
  /** The problem, as text that follows the field's name, such as `must not be empty`. */
  readonly problem: string | undefined
  /** The number of seconds after which to retry, if known. */
  readonly retryAfter: number | undefined

  /** `message` overrides the message in the catalog. */
  constructor(
    code: ErrorCode,
    message: string = catalog[code][1],
    {
      field,
      problem,
      retryAfter,
      ...options
    }: ErrorOptions & { field?: string; problem?: string; retryAfter?: number } = {},
  ) {
    super(message, options)
    this.name = 'AppError'
    this.code = code
    this.status = catalog[code][0]
    this.field = field
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** Creates the error for an input field. `messageWith` replaces the internal name of the field. */
export function invalid(field: string, problem: string, options?: ErrorOptions): AppError {
  return new AppError('invalid_input', `${field} ${problem}`, { ...options, field, problem })
}

/**
 * The names of fields in an API or page, by internal name. Fields with the same name are omitted. A
 * key may be a path such as `meta.title`. It replaces the start of an error's path.
 */
export type FieldNames = Readonly<Record<string, string>>

/** Returns the message of an error, with the field renamed by `names`. */
export function messageWith(names: FieldNames, { field, problem, message }: AppError): string {
  if (field === undefined || problem === undefined) return message
  return `${renameField(names, field)} ${problem}`
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
