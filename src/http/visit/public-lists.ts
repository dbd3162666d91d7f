import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { bioPage } from '../../pages/bio.ts'
import { campaignPage } from '../../pages/campaign.ts'
import type { Services } from '../../services.ts'
import { sendPage } from './html.ts'
import type { Visit } from './visit.ts'

type Params<Name extends string> = FastifyRequest<{ Params: Record<Name, string> }>

const LINKS_A_PAGE = 50
const indexed = { headers: { 'x-robots-tag': 'all' } }

/** What leads to several links: rotators, public campaigns and bio pages, on the service's own host. */
export function publicListRoutes(app: FastifyInstance, services: Services, visit: Visit): void {
  const { bios, campaigns, hosts, visitLinks } = services
  const hidden = { schema: { hide: true } }

  app.get('/r/:slug', hidden, async (request: Params<'slug'>, reply) => {
    await requireOwnHost(request)
    const place = await campaigns.pickLink(request.params.slug)
    const link = place && (await visitLinks.find(place.domainId, place.alias))
    if (!link) throw new AppError('not_found')
    return visit.followed(request, reply, link)
  })

  app.get('/u/:username/:id', hidden, async (request: Params<'username' | 'id'>, reply) => {
    await requireOwnHost(request)
    const { username, id } = request.params
    const page = readPage(request)
    const list = /^[1-9]\d{0,14}$/.test(id)
      ? await campaigns.publicList(username, Number(id), {
          limit: LINKS_A_PAGE,
          offset: (page - 1) * LINKS_A_PAGE,
        })
      : null
    if (!list) throw new AppError('not_found')
    const maxPage = Math.max(1, Math.ceil(list.total / LINKS_A_PAGE))
    return sendPage(reply, (nonce) =>
      campaignPage({ ...list, nonce, links: list.entries, page: Math.min(page, maxPage), maxPage }),
    )
  })

  app.get('/b/:alias', hidden, async (request: Params<'alias'>, reply) => {
    await requireOwnHost(request)
    const bio = await bios.findByAlias(request.params.alias)
    if (!bio) throw new AppError('not_found')
    const links = bio.links.map(({ title, url }) => ({ title: title || url, url }))
    return sendPage(
      reply,
      (nonce) => bioPage({ nonce, title: bio.title, text: bio.text, links }),
      indexed,
    )
  })

  async function requireOwnHost(request: FastifyRequest): Promise<void> {
    const { kind } = await hosts.resolve(request.headers.host ?? '')
    if (kind !== 'service') throw new AppError('not_found')
  }
}

function readPage(request: FastifyRequest): number {
  const { page } = request.query as { page?: unknown }
  return typeof page === 'string' && /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1
}
