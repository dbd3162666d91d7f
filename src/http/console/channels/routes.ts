import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listBios } from '../../../bio/bio.service.ts'
import {
  addItemToChannel,
  findItems,
  getChannel,
  getChannelLinkIds,
  listChannelItems,
  removeItemFromChannel,
} from '../../../channels/channel.service.ts'
import type { ChannelItem, ItemType } from '../../../channels/channel.ts'
import type { HttpContext } from '../../../context.ts'
import { findByShortLink } from '../../../links/link-list.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { listQrCodes } from '../../../qr/qr.service.ts'
import { t } from '../../../texts.ts'
import { parsePathId } from '../../request/path-id.ts'
import { chooseStatus, loadAnalytics } from '../analytics/statistics.ts'
import { toGroupSubject } from '../analytics/subject.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import type { GroupItem } from '../resources/group-items.ts'
import { buildItemsHref, clampPage, PER_PAGE } from '../resources/group-paging.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { renderChannelPage } from './page.ts'

type AnalyticsRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: Record<string, unknown>
}>
type ItemRequest = FastifyRequest<{
  Params: { id: string; type: string; item: string }
  Querystring: Record<string, unknown>
}>
type ItemRef = Pick<ChannelItem, 'type' | 'id'>
/** A rejected form: the submitted short link with its error, or the error of the other form. */
type RejectedForm = { link: { value: string; error: string } } | { itemError: string }

/** The maximum number of bio pages, and of codes, to select from: the newest. */
const MAX_CHOICES = 200

/**
 * Registers the routes of a channel's page with its statistics and items, of the lists of its
 * statistics, and of the forms that add and remove items.
 */
export function registerChannelPageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/channels/:id',
    handler: async (request: AnalyticsRequest, reply) => sendChannel(request, reply),
  })

  app.post('/channels/:id/links', formFor('editor'), async (request: AnalyticsRequest, reply) => {
    const { account } = request.session
    const { id } = await getChannel(ctx.db, account.id, parsePathId(request.params.id))
    const { link: value } = readFields(request.body, ['link'])
    const link = await findByShortLink(ctx, ctx.db, account.id, value)
    if (!link) {
      return sendChannel(request, reply, { link: { value, error: t('resource.linkNotFound') } })
    }
    return addItem(request, reply, id, { type: 'links', id: link.id })
  })

  app.post('/channels/:id/items', formFor('editor'), async (request: AnalyticsRequest, reply) => {
    const { account } = request.session
    const { id } = await getChannel(ctx.db, account.id, parsePathId(request.params.id))
    const ref = parseItemRef(readFields(request.body, ['item']).item)
    const [item] = ref ? await findItems(ctx, ctx.db, account.id, [ref]) : []
    if (!item) return sendChannel(request, reply, { itemError: t('channel.itemMissing') })
    return addItem(request, reply, id, item)
  })

  app.post(
    '/channels/:id/items/:type/:item/remove',
    formFor('editor'),
    async ({ session, params, query }: ItemRequest, reply) => {
      const id = parsePathId(params.id)
      const item = parseItemRef(`${params.type}-${params.item}`)
      // A malformed reference removes nothing, but an unknown channel is still a 404.
      if (item) await removeItemFromChannel(ctx.db, session.account.id, id, item)
      else await getChannel(ctx.db, session.account.id, id)
      const page = clampPage(query.page)
      return reply.redirect(`/console/channels/${id}${page > 1 ? `?page=${page}` : ''}#items`, 303)
    },
  )

  async function addItem(
    request: AnalyticsRequest,
    reply: FastifyReply,
    id: number,
    item: ItemRef,
  ) {
    await addItemToChannel(ctx.db, request.session.account.id, id, {
      type: item.type,
      id: item.id,
    })
    return reply.redirect(`/console/channels/${id}?added=${item.type}-${item.id}#items`, 303)
  }

  async function sendChannel(
    request: AnalyticsRequest,
    reply: FastifyReply,
    rejected?: RejectedForm,
  ) {
    const { session, query } = request
    const { account } = session
    const channel = await getChannel(ctx.db, account.id, parsePathId(request.params.id))
    const path = `/console/channels/${channel.id}`
    const [linkIds, { total }] = await Promise.all([
      getChannelLinkIds(ctx.db, account.id, channel.id),
      listChannelItems(ctx, ctx.db, account.id, channel.id, { limit: 0, offset: 0 }),
    ])
    const page = clampPage(query.page, total)
    const newRef = parseItemRef(query.added)
    const [analytics, { entries }, [newItem], itemChoices] = await Promise.all([
      loadAnalytics(ctx, request, toGroupSubject('channel', account.id, channel, linkIds)),
      listChannelItems(ctx, ctx.db, account.id, channel.id, {
        limit: PER_PAGE,
        offset: (page - 1) * PER_PAGE,
      }),
      newRef ? findItems(ctx, ctx.db, account.id, [newRef]) : [],
      readChoices(account.id),
    ])
    return sendConsolePage(
      reply,
      (frame) =>
        renderChannelPage(frame, {
          channel,
          analytics,
          rows: entries.map((item) => toGroupItem(item, path, page)),
          pages: {
            page,
            limit: PER_PAGE,
            total,
            hrefOf: (page) => buildItemsHref(analytics, page),
          },
          itemChoices,
          addedTitle: newItem?.title,
          rejectedLink: rejected && 'link' in rejected ? rejected.link : undefined,
          itemError: rejected && 'itemError' in rejected ? rejected.itemError : undefined,
        }),
      { status: rejected ? 422 : chooseStatus(analytics) },
    )
  }

  /** Returns the newest bio pages and codes to select from. */
  async function readChoices(accountId: number) {
    const newest = { limit: MAX_CHOICES, offset: 0 }
    const [pages, codes] = await Promise.all([
      listBios(ctx.db, accountId, newest),
      listQrCodes(ctx, ctx.db, accountId, newest),
    ])
    return [
      {
        label: t('channel.choices.bio'),
        choices: pages.entries.map(({ id, title }) => ({ value: `bio-${id}`, label: title })),
      },
      {
        label: t('channel.choices.qr'),
        choices: codes.entries.map(({ id, name }) => ({ value: `qr-${id}`, label: name })),
      },
    ].filter(({ choices }) => choices.length > 0)
  }
}

/** Parses a reference to an item, such as `qr-7`. Returns undefined if it is malformed. */
function parseItemRef(value: unknown): ItemRef | undefined {
  const parts = /^(links|bio|qr)-([1-9]\d{0,14})$/.exec(typeof value === 'string' ? value : '')
  return parts ? { type: parts[1] as ItemType, id: Number(parts[2]) } : undefined
}

function toGroupItem(
  { type, id, title, link }: ChannelItem,
  path: string,
  page: number,
): GroupItem {
  const paths = {
    links: `/console/links/${id}`,
    bio: `/console/bios/${id}/edit`,
    qr: `/console/codes/${id}`,
  }
  return {
    name: title,
    href: paths[type],
    cells: [t(`channel.types.${type}`), shortLinkText(link)],
    removalPath: `${path}/items/${type}/${id}/remove${page > 1 ? `?page=${page}` : ''}`,
  }
}
