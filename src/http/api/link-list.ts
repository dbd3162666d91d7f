import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { LINK_STATES, type LinkFilter, type LinkState } from '../../links/link-filter.ts'
import { findByShortLink, listLinks, listLinksAfter } from '../../links/link-list.service.ts'
import type { Scope } from '../../scope.ts'
import type { ApiApp } from './api-app.ts'
import { LinkEntry, presentLinkEntry } from './link-schemas.ts'
import {
  addErrorReplies,
  createListReply,
  ListQuery,
  type PageRequest,
  presentPage,
  readPage,
  Text,
} from './schemas.ts'

const UrlsQuery = Type.Object({
  ...ListQuery.properties,
  order: Type.Optional(
    Type.String({ description: 'date (newest first, the default) or click (most clicks first).' }),
  ),
  q: Type.Optional(
    Text(2000, {
      description:
        'Only links that contain each of these words in their alias, destination, title or a tag, in any order.',
    }),
  ),
  status: Type.Optional(
    Type.String({ description: `Only links in this state: ${LINK_STATES.join(', ')}.` }),
  ),
  tag: Type.Optional(Text(256, { description: 'Only links with this tag, ignoring case.' })),
  after: Type.Optional(
    Type.String({
      description:
        'Lists the links that arrived before the link with this ID, newest first, instead of a page. ' +
        'Start with 0, and continue with the `after` of each reply until it is null.',
    }),
  ),
  short: Type.Optional(
    Text(9000, {
      description:
        'Only the link with this short URL (the scheme is optional) or alias. Adds its clicks as `data.clicks`.',
    }),
  ),
})

/** Registers the route that lists links, by page or one after another. */
export function registerLinkListRoute(app: ApiApp, ctx: HttpContext): void {
  const { config } = ctx
  const List = createListReply('urls', LinkEntry, config.listError)
  const UrlsReply = Type.Object({
    error: List.properties.error,
    data: Type.Object({
      ...List.properties.data.properties,
      clicks: Type.Optional(Type.Integer()),
      resultCapped: Type.Optional(
        Type.Literal(true, { description: 'There may be more links than `result`.' }),
      ),
      after: Type.Optional(
        Type.Union([Type.Integer(), Type.Null()], {
          description:
            'The `after` of the next call. Also in a search that could not read all links in time; null at the end.',
        }),
      ),
    }),
  })

  app.get(
    '/urls',
    {
      config: { access: { scope: 'read', boundKeys: true } },
      schema: {
        tags: ['links'],
        summary: 'List links',
        querystring: UrlsQuery,
        response: addErrorReplies(UrlsReply),
      },
    },
    async (request) => {
      const { query } = request
      const { scope } = request
      const page = readPage(query)
      if (query.short) return presentMatch(scope, query.short, page)
      const order = query.order === 'click' ? 'click' : 'date'
      const filter = { search: query.q, tag: query.tag, state: readState(query.status) }
      if (query.after) return presentLinksAfter(scope, { filter, after: query.after, page })
      const options = { ...page, order, filter } as const
      const results = await listLinks(scope, options)
      return presentResults(results, page)
    },
  )

  /** Presents a page of links. If not all were counted, the next page may exist. */
  function presentResults(
    { entries, total, hasMore, readTo }: Awaited<ReturnType<typeof listLinks>>,
    page: PageRequest,
  ) {
    const list = presentPage('urls', entries.map(presentLinkEntry), page, total, config.listError)
    if (!hasMore) return list
    const isSearched = readTo === undefined
    const maxpage = Math.max(list.data.maxpage, isSearched ? page.page + 1 : 1)
    const nextpage = Math.min(page.page + 1, maxpage)
    const more = { resultCapped: true as const, ...(!isSearched && { after: readTo }) }
    return { ...list, data: { ...list.data, nextpage, maxpage, ...more } }
  }

  async function presentLinksAfter(
    scope: Scope<HttpContext>,
    { filter, after, page }: { filter: LinkFilter; after: string; page: PageRequest },
  ) {
    if (page.page > 1) throw invalid('page', 'page_with_after')
    const options = { filter, afterId: readAfter(after), limit: page.limit }
    const { entries, afterId = null } = await listLinksAfter(scope, options)
    const list = presentPage(
      'urls',
      entries.map(presentLinkEntry),
      page,
      entries.length,
      config.listError,
    )
    const isCapped = afterId !== null && { resultCapped: true as const }
    return { ...list, data: { ...list.data, ...isCapped, after: afterId } }
  }

  async function presentMatch(
    scope: Scope<HttpContext>,
    short: string,
    page: ReturnType<typeof readPage>,
  ) {
    const link = await findByShortLink(scope, short)
    const entries = link && page.page === 1 ? [presentLinkEntry(link)] : []
    const list = presentPage('urls', entries, page, link ? 1 : 0, config.listError)
    return link ? { ...list, data: { ...list.data, clicks: link.clicks } } : list
  }
}

/** Returns the id after which a list begins, or undefined for the newest link. */
function readAfter(after: string): number | undefined {
  if (!/^\d{1,15}$/.test(after)) throw invalid('after', 'link_id')
  return Number(after) || undefined
}

/** @throws AppError `invalid_input` naming `status` */
function readState(status: string | undefined): LinkState | undefined {
  if (status === undefined || status === '') return undefined
  const state = LINK_STATES.find((each) => each === status)
  if (!state) throw invalid('status', 'one_of', { choices: LINK_STATES.join(', ') })
  return state
}
