import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readTotals } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError, invalid } from '../../../errors.ts'
import {
  deleteLinks,
  setLinkStatuses,
  tagLinks,
  untagLinks,
} from '../../../links/bulk-links.service.ts'
import { deleteLink, setLinkStatus } from '../../../links/link.service.ts'
import { linkNames, listLinks } from '../../../links/link-list.service.ts'
import { toAppError } from '../../errors.ts'
import { actingFor } from '../acting.ts'
import { pathId } from '../path-id.ts'
import { faultText, fieldsOf, sendConsole } from '../send.ts'
import { plural } from '../shell/plural.ts'
import { setToast, type Undo } from '../shell/toast.ts'
import { deleteLinksPage } from './delete-page.ts'
import { sendList } from './list.ts'
import { linksMessages as messages } from './messages.ts'
import { type Outcome, outcomeParameter } from './outcome.ts'
import { addressOf, filterOf, type View, viewFrom } from './view.ts'

type OneRequest = FastifyRequest<{ Params: { id: string } }>
type Change = 'tag' | 'untag' | 'disable' | 'enable' | 'delete'

const hidden = { schema: { hide: true } }
/** The maximum number of links in one form, more than a page shows. */
const MOST = 100
/** The maximum number of search results that one action changes. */
const MOST_RESULTS = 10_000
const PAGE = 1000
const BATCH = 100

/** Routes of the bulk actions of the list and the actions of a single link. */
export function linkChangeRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.post('/links/change', hidden, async (request, reply) => {
    const form = fieldsOf(request.body, ['action', 'tag', 'back', 'sure', 'all', 'count'])
    const view = viewFrom(form.back)
    const all = form.all === 'yes'
    const accountId = request.session.account.id
    try {
      const ids = all ? await idsOf(accountId, view) : selectedIds(request.body)
      // The confirmation does not cover links that matched after it was shown.
      const isSure = form.sure === 'yes' && (!all || Number(form.count) === ids.length)
      if (form.action === 'delete' && !isSure) return await askFirst(reply, ids, view, all)
      const outcome = await perform(request, form.action as Change, ids, form.tag)
      const undo = undoOf(form.action as Change, outcome, ids, form.tag)
      // An action undone on a link's page is confirmed there.
      if (/^\/console\/links\/\d+$/.test(form.back)) {
        setToast(reply, form.action === 'enable' ? 'linkEnabled' : 'linkDisabled', undo)
        return await reply.redirect(form.back, 303)
      }
      setToast(reply, '', undo)
      return await reply.redirect(addressOf(view, outcomeParameter(outcome)), 303)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.code !== 'invalid_input') throw rejection
      return sendList(ctx, reply, view, { error: faultText(rejection), status: 422 })
    }
  })

  for (const [change, status] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    app.post(`/links/:id/${change}`, hidden, async (request: OneRequest, reply) => {
      const id = pathId(request.params.id)
      await setLinkStatus(actingFor(ctx, request), ctx.db, request.session.account.id, id, status)
      const [name, action] =
        change === 'disable'
          ? (['linkDisabled', 'enable'] as const)
          : (['linkEnabled', 'disable'] as const)
      setToast(reply, name, { action, ids: [id], tag: '' })
      return reply.redirect(`/console/links/${id}`, 303)
    })
  }

  app.post('/links/:id/delete', hidden, async (request: OneRequest, reply) => {
    await deleteLink(ctx, ctx.db, request.session.account.id, pathId(request.params.id))
    const outcome = { done: 'deleted', count: 1 } as const
    return reply.redirect(addressOf(viewFrom(''), outcomeParameter(outcome)), 303)
  })

  /** Changes the links in batches, with one transaction each. */
  async function perform(
    request: FastifyRequest,
    change: Change,
    ids: readonly number[],
    tag: string,
  ): Promise<Outcome> {
    let outcome = await performBatch(request, change, ids.slice(0, BATCH), tag)
    for (let at = BATCH; at < ids.length; at += BATCH) {
      const next = await performBatch(request, change, ids.slice(at, at + BATCH), tag)
      outcome = sumOf(outcome, next)
    }
    return outcome
  }

  async function performBatch(
    request: FastifyRequest,
    change: Change,
    ids: readonly number[],
    tag: string,
  ): Promise<Outcome> {
    const acting = actingFor(ctx, request)
    const accountId = request.session.account.id
    switch (change) {
      case 'tag':
        return {
          done: 'tagged',
          count: await tagLinks(acting, ctx.db, accountId, ids, [named(tag)]),
        }
      case 'untag':
        return {
          done: 'untagged',
          count: await untagLinks(acting, ctx.db, accountId, ids, [named(tag)]),
        }
      case 'disable':
        return {
          done: 'disabled',
          ...(await setLinkStatuses(acting, ctx.db, accountId, ids, 'disabled')),
        }
      case 'enable':
        return {
          done: 'enabled',
          ...(await setLinkStatuses(acting, ctx.db, accountId, ids, 'active')),
        }
      case 'delete':
        return { done: 'deleted', count: await deleteLinks(acting, ctx.db, accountId, ids) }
      default:
        change satisfies never
        throw new AppError('malformed_request')
    }
  }

  /**
   * Returns the ids of all links in a view.
   *
   * @throws AppError `invalid_input` if there are too many
   */
  async function idsOf(accountId: number, view: View): Promise<number[]> {
    const ids = new Set<number>()
    const filter = filterOf(view)
    for (let offset = 0; ; offset += PAGE) {
      const page = { order: 'date', limit: PAGE, offset, filter } as const
      const { entries, total } = await listLinks(ctx, ctx.db, accountId, page)
      if (total > MOST_RESULTS) throw invalid('id', plural(MOST_RESULTS, messages.tooMany))
      for (const { id } of entries) ids.add(id)
      if (entries.length < PAGE) break
    }
    if (ids.size === 0) throw invalid('id', messages.noneSelected)
    return [...ids]
  }

  /** Sends the confirmation page with the names of the links. */
  async function askFirst(reply: FastifyReply, ids: readonly number[], view: View, all: boolean) {
    const names = await linkNames(ctx, ctx.db, reply.request.session.account.id, ids)
    if (names.size === 0) throw new AppError('not_found')
    const totals = await readTotals(ctx.db, [...names.keys()])
    const selected = ids.flatMap((id) => {
      const name = names.get(id)
      return name ? { id, shortUrl: name.shortUrl, clicks: totals.get(id)?.clicks ?? 0 } : []
    })
    const address = addressOf(view)
    return sendConsole(reply, (frame) => deleteLinksPage(frame, { links: selected, address, all }))
  }
}

const opposites = { tag: 'untag', untag: 'tag', disable: 'enable', enable: 'disable' } as const

/**
 * Returns the action that undoes a change, only if the change affected every link: otherwise some
 * links already had the new state.
 */
function undoOf(
  change: Change,
  { count }: Outcome,
  ids: readonly number[],
  tag: string,
): Undo | undefined {
  if (change === 'delete' || count !== ids.length) return undefined
  return { action: opposites[change], ids, tag: change === 'tag' || change === 'untag' ? tag : '' }
}

function sumOf(one: Outcome, other: Outcome): Outcome {
  return {
    done: one.done,
    count: one.count + other.count,
    blocked: (one.blocked ?? 0) + (other.blocked ?? 0),
  }
}

/**
 * Returns the entered tag.
 *
 * @throws AppError `invalid_input` without one
 */
function named(tag: string): string {
  if (tag.trim() === '') throw invalid('tag', messages.tagMissing)
  return tag
}

/**
 * Returns the selected links.
 *
 * @throws AppError `invalid_input` for none or too many
 */
function selectedIds(body: unknown): number[] {
  const { id } = (body ?? {}) as Record<string, unknown>
  const given = [id ?? []].flat().map((each) => Number(each))
  if (given.length === 0) throw invalid('id', messages.noneSelected)
  if (given.length > MOST) throw invalid('id', plural(MOST, messages.tooMany))
  if (!given.every((each) => Number.isSafeInteger(each) && each > 0)) {
    throw new AppError('malformed_request')
  }
  return [...new Set(given)]
}
