import { AppError, invalid } from '../../errors.ts'
import type { Link, LinkInput } from '../../links/link.ts'
import type { Services } from '../../services.ts'
import type { LegacyCall } from './grammar.ts'
import { presentCreated, presentInfo, presentState } from './present.ts'

type Create = Extract<LegacyCall, { operation: 'create' }>
type SingleLinkCall = Exclude<LegacyCall, { operation: 'list_active_urls' }>

/** As many as the JSON API takes. */
const MAX_PASSWORD_LENGTH = 200

/** What this API calls the fields of a link, where that differs. */
const legacyNames: ReadonlyMap<string, string> = new Map([
  ['custom', 'custom_url'],
  ['expiry', 'expiry_date'],
  ['domain', 'base_domain'],
])

/** What the calls for one link do, as the fields of their replies. `now` is the time of the call. */
export function createOperations({ links }: Pick<Services, 'links'>) {
  /** The account's link of a short URL; one of another account is as unknown as none at all. */
  async function find(accountId: number, shortUrl: string): Promise<Link> {
    const link = await links.findByShortUrl(accountId, shortUrl)
    if (!link) throw new AppError('not_found')
    return link
  }

  return async function perform(accountId: number, call: SingleLinkCall, now: Date) {
    switch (call.operation) {
      case 'create': {
        const created = links.create(accountId, readInput(call)).catch((error: unknown) => {
          throw inLegacyNames(error)
        })
        return presentCreated(await created, now)
      }
      case 'disable':
      case 'enable': {
        const { id } = await find(accountId, call.shortUrl)
        const status = call.operation === 'disable' ? 'disabled' : 'active'
        return presentState(await links.setStatus(accountId, id, status), now)
      }
      case 'info':
        return presentInfo(await find(accountId, call.shortUrl), now)
    }
  }
}

function readInput({ url, customUrl, password, expiryDate, baseDomain }: Create): LinkInput {
  if (password !== undefined && password.length > MAX_PASSWORD_LENGTH) {
    throw invalid('password', `must be at most ${MAX_PASSWORD_LENGTH} characters long`)
  }
  if (password?.includes('\0')) throw invalid('password', 'must not contain NUL characters')
  if (expiryDate !== undefined && !/^\d{4}-\d\d-\d\d$/.test(expiryDate)) {
    throw invalid('expiry_date', 'must have the form YYYY-MM-DD')
  }
  return {
    url,
    ...(customUrl !== undefined && { custom: customUrl }),
    ...(password !== undefined && { password }),
    ...(expiryDate !== undefined && { expiry: expiryDate }),
    ...(baseDomain !== undefined && { domain: baseDomain }),
  }
}

/** The same error with the field, with which its message begins, under the name that was used. */
function inLegacyNames(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'invalid_input') return error
  const message = error.message.replace(/^\w+/, (field) => legacyNames.get(field) ?? field)
  return new AppError('invalid_input', message, { cause: error })
}
