import { countClicksOfAccount } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { AppError, invalid } from '../../errors.ts'
import { type CallAccess, isScopeSufficient } from '../../identity/key-scope.ts'
import { createLink } from '../../links/link.service.ts'
import { findByShortLink, selectLinks } from '../../links/link-list.service.ts'
import type { Choice } from '../../links/ranked-links.ts'
import { MAX_TITLE } from '../../links/rules/lengths.ts'
import { normalizeOptionalText } from '../../text.ts'
import { addHttp } from '../../urls/destination-url.ts'
import { parseShortLink } from '../../urls/short-url.ts'
import { toAppError } from '../errors.ts'
import type { Call } from './call.ts'
import {
  describeError,
  presentCreated,
  presentDbStats,
  presentExisting,
  presentExpanded,
  presentFailure,
  presentStats,
  presentUrlStats,
  type YourlsReply,
} from './present.ts'

/** Pages of the JSON API have the same limit. */
const MAX_LIMIT = 1000

const choiceByFilter = new Map<string, Choice>([
  ['bottom', 'bottom'],
  ['last', 'last'],
  ['rand', 'random'],
])

/**
 * The access that each action requires. Bound keys cannot call `stats` and `db-stats`, because both
 * count the clicks of the whole account.
 */
const ACCESS = {
  shorturl: { scope: 'create', boundKeys: true },
  expand: { scope: 'read', boundKeys: true },
  'url-stats': { scope: 'read', boundKeys: true },
  stats: { scope: 'read' },
  'db-stats': { scope: 'read' },
  version: { scope: 'any', boundKeys: true },
} as const satisfies Readonly<Record<string, CallAccess>>

type Action = keyof typeof ACCESS

/** Returns the access an action requires, or undefined for an unknown action. */
export function findActionAccess(name = ''): CallAccess | undefined {
  return isAction(name) ? ACCESS[name] : undefined
}

function isAction(name: string): name is Action {
  return Object.hasOwn(ACCESS, name)
}

/** Creates the function that executes actions. Links of other accounts are not found. */
export function createActions(ctx: HttpContext) {
  const shorten = createShorten(ctx)

  /** Returns the link of a short URL, or of a keyword on the host of the call. */
  async function findLink({ scope, shorturl = '', shortUrlOf }: Call) {
    const parsed = await parseShortLink(shorturl, ctx.hosts.isOurs)
    const isKeyword = parsed !== undefined && parsed.host === undefined
    const text = isKeyword ? shortUrlOf(parsed.alias) : shorturl
    return findByShortLink(scope, text)
  }

  async function readStats({ scope, filter = '', limit, start }: Call) {
    const page = {
      limit: Math.min(MAX_LIMIT, parseWholeNumber('limit', limit)),
      offset: parseWholeNumber('start', start),
    }
    const choice = choiceByFilter.get(filter) ?? 'top'
    const [{ entries, total }, clicks] = await Promise.all([
      selectLinks(scope, { ...page, choice }),
      countClicksOfAccount(scope),
    ])
    return { entries, totals: { links: total, clicks } }
  }

  /**
   * Executes an action.
   *
   * @throws AppError if the action is unknown, if a number is invalid, and for errors that have the
   *   same reply for all actions
   */
  return async function perform(call: Call): Promise<YourlsReply> {
    const { action = '' } = call
    if (!isAction(action)) {
      throw new AppError('malformed_request', { text: 'rejections.yourls_action' })
    }
    switch (action) {
      case 'shorturl':
        return shorten(call)
      case 'expand':
        return presentExpanded(call.shorturl ?? '', await findLink(call))
      case 'url-stats':
        return presentUrlStats(await findLink(call))
      case 'stats': {
        const { entries, totals } = await readStats(call)
        return presentStats(entries, totals)
      }
      case 'db-stats':
        return presentDbStats((await readStats({ ...call, limit: '', start: '' })).totals)
      case 'version': {
        // The version of YOURLS whose API this is, and its version of the database schema.
        const data = { version: '1.10', ...(call.db === '1' && { db_version: '507' }) }
        return { data, simple: data.version }
      }
    }
  }
}

function parseWholeNumber(field: string, value = ''): number {
  if (!/^\d{0,15}$/.test(value)) throw invalid(field, 'whole_number')
  return Number(value)
}

/** Creates the function that executes the action `shorturl`. */
function createShorten(ctx: HttpContext) {
  return async function shorten(call: Call): Promise<YourlsReply> {
    const { scope, domain, keyword = '' } = call
    const url = addHttp(call.url ?? '')
    try {
      const title = normalizeOptionalText('title', call.title, MAX_TITLE)
      const input = { url, alias: keyword, metaTitle: title, domain }
      const created = await createLink(scope, input)
      const link = { ...created, metaTitle: title, clicks: 0 }
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
    const { key, scope, shortUrlOf } = call
    // A key without read access must not see the existing link.
    if (!isScopeSufficient(key.scope, 'read')) return presentKeywordTaken(keyword)
    const link = await findByShortLink(scope, shortUrlOf(keyword))
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
