import { isScopeSufficient } from '../../accounts/key-scope.ts'
import type { HttpContext } from '../../context.ts'
import { addHttp } from '../../destination-url.ts'
import type { AppError } from '../../errors.ts'
import { createKeyLink, findKeyLink } from '../../links/key-links.ts'
import { MAX_TITLE } from '../../links/rules/lengths.ts'
import { normalizeOptionalText } from '../../text.ts'
import { toAppError } from '../errors.ts'
import type { Call } from './call.ts'
import { describeError, presentCreated, presentExisting, presentFailure } from './present.ts'
import type { YourlsReply } from './reply.ts'

/** Creates the function that executes the action `shorturl`. */
export function createShorten(ctx: HttpContext) {
  return async function shorten(call: Call): Promise<YourlsReply> {
    const { reach, domain, keyword = '' } = call
    const url = addHttp(call.url ?? '')
    try {
      const title = normalizeOptionalText('title', call.title, MAX_TITLE)
      const input = { url, alias: keyword, metaTitle: title, domain }
      const created = await createKeyLink(ctx, ctx.db, reach, input)
      const link = { ...created, metaTitle: title, metaDescription: null, clicks: 0 }
      return presentCreated(link, call.address)
    } catch (thrown) {
      const error = toAppError(thrown, call.request)
      return error.code === 'alias_taken'
        ? presentTaken(call, url, keyword)
        : presentError(error, url, keyword)
    }
  }

  /**
   * Returns the reply if the keyword is taken. It contains the caller's existing link if that link has
   * the same destination, as in a YOURLS installation with unique URLs.
   */
  async function presentTaken(call: Call, url: string, keyword: string) {
    const { key, reach, shortUrlOf } = call
    // A key without read access must not see the existing link.
    if (!isScopeSufficient(key.scope, 'read')) return presentKeywordTaken(keyword)
    const link = await findKeyLink(ctx, ctx.db, reach, shortUrlOf(keyword))
    const isSame = link !== undefined && link.url === URL.parse(url)?.href
    return isSame ? presentExisting(link) : presentKeywordTaken(keyword)
  }

  async function presentError(error: AppError, url: string, keyword: string): Promise<YourlsReply> {
    const { field, problem, status } = error
    const message = describeError(error)
    if (field === 'alias' && problem === 'reserved_word') return presentKeywordTaken(keyword)
    if (field === 'alias') return presentFailure('error:keyword', message)
    // YOURLS replies like this if it has a plugin that blocks domains.
    if (problem === 'blocked_host') return presentFailure('error:spam', message, 403)
    if (error.code === 'destination_held') return presentFailure('error:spam', message, status)
    if (field === 'url') {
      const host = URL.parse(url)?.host
      const isLoop = host && (await ctx.hosts.isOurs(host))
      if (isLoop) return presentFailure('error:noloop', 'URL is a short URL')
      const detail = url === '' ? '' : `: ${message}`
      return presentFailure('error:nourl', `Missing or malformed URL${detail}`)
    }
    // Other errors have the same reply for all actions.
    if (field === undefined) throw error
    return presentFailure(`error:${field}`, message, status)
  }
}

function presentKeywordTaken(keyword: string): YourlsReply {
  const message = `Short URL ${keyword} already exists in database or is reserved`
  return presentFailure('error:keyword', message)
}
