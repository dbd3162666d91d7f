import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { listLinks } from '../../../links/link-list.service.ts'
import { titleOf } from '../../../links/title.ts'
import { pageFor } from '../kit/roles.ts'
import { findSections } from '../shell/navigation.ts'
import { sendConsolePage } from '../shell/send.ts'
import { renderSearchPage } from './page.ts'

type SearchRequest = FastifyRequest<{ Querystring: { q?: unknown } }>

/** The maximum number of links in the results. */
const MAX_LINKS = 8

/** Registers the route of the search for links and sections of the console. */
export function registerSearchRoute(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/search',
    handler: async ({ query, session }: SearchRequest, reply) => {
      const text = typeof query.q === 'string' ? query.q.trim() : ''
      const { entries, total } = await findLinks(session.account.id, text)
      return sendConsolePage(reply, (frame) =>
        renderSearchPage(frame, {
          query: text,
          links: entries.map((link) => ({
            id: link.id,
            title: titleOf(link),
            shortUrl: link.shortUrl,
          })),
          allLinksUrl:
            total > entries.length
              ? `/console/links?${new URLSearchParams({ ...(text && { q: text }) })}`
              : undefined,
          sections: findSections(text, session.user.admin),
        }),
      )
    },
  })

  /** Returns the newest matching links, or none for an invalid search text. */
  async function findLinks(accountId: number, search: string) {
    try {
      const page = { order: 'date', limit: MAX_LINKS, offset: 0, limitCount: true } as const
      return await listLinks(ctx, ctx.db, accountId, { ...page, filter: { search } })
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
      return { entries: [], total: 0 }
    }
  }
}
