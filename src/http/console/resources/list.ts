import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pageFor } from '../kit/roles.ts'
import { sendConsolePage } from '../shell/send.ts'
import { renderResourceListPage } from './list-view.ts'
import type { Resource } from './resource.ts'

type ListRequest = FastifyRequest<{ Querystring: { page?: unknown } }>
/** The part of a resource's definition that its list needs. */
type ListedResource<Entry extends { id: number }> = Pick<
  Resource<Entry>,
  'words' | 'columns' | 'nameOf' | 'cellsOf' | 'hasDetailsPage' | 'list'
>

const PER_PAGE = 25

/** Registers the route of the list of one kind of resource. */
export function registerListRoute<Entry extends { id: number }>(
  app: FastifyInstance,
  resource: ListedResource<Entry>,
): void {
  const { nameOf, cellsOf, hasDetailsPage = false, list } = resource
  app.route({
    ...pageFor('viewer'),
    url: resource.words.section.slice('/console'.length),
    handler: async (request: ListRequest, reply) => {
      const page = parsePage(request.query.page)
      const query = { limit: PER_PAGE, offset: (page - 1) * PER_PAGE }
      const { account, user } = request.session
      const { entries, total } = await list(account.id, query)
      const rows = entries.map((entry) => ({
        id: entry.id,
        name: nameOf(entry),
        cells: cellsOf(entry, user.timeZone),
      }))
      const { words, columns } = resource
      return sendConsolePage(reply, (frame) =>
        renderResourceListPage(frame, {
          words,
          columns,
          rows,
          total,
          page,
          limit: PER_PAGE,
          hrefOf: (number) => (number === 1 ? words.section : `${words.section}?page=${number}`),
          hasDetailsPage,
        }),
      )
    },
  })
}

function parsePage(value: unknown): number {
  return typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 1
}
