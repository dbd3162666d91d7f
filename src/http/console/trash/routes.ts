import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import {
  countTrash,
  deletePermanently,
  emptyOwnTrash,
  listTrash,
  restoreLinks,
  TRASH_DAYS,
} from '../../../links/trash.service.ts'
import { t } from '../../../texts.ts'
import { toAppError } from '../../errors.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { readSelectedIds } from '../links/selected-ids.ts'
import { createActingContext } from '../shell/acting.ts'
import { formatMoment } from '../shell/format-day.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { renderDeleteForeverPage, renderTrashPage } from './page.ts'

type ListRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>

const PATH = '/console/links/trash'
const PER_PAGE = 50
const DAY_MS = 86_400_000
/** Registers the routes of the trash of deleted links. */
export function registerTrashRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/links/trash',
    handler: ({ query }: ListRequest, reply) => {
      const page = Number(query.page ?? 1)
      return sendTrash(reply, {
        page: Number.isSafeInteger(page) && page > 0 ? page : 1,
        notice: findNotice(query.done),
      })
    },
  })

  app.post('/links/trash/change', formFor('editor'), async (request, reply) => {
    const form = readFields(request.body, ['action', 'sure', 'all'])
    const accountId = request.session.account.id
    try {
      const isWholeTrash = form.all === 'yes'
      const ids = isWholeTrash ? [] : readSelectedIds(request.body)
      if (form.action === 'restore') return await restore(request, reply, ids)
      if (form.action !== 'forever') throw new AppError('malformed_request')
      if (form.sure !== 'yes') {
        const count = isWholeTrash ? await countTrash(ctx.db, accountId) : ids.length
        return await sendConsolePage(reply, (frame) =>
          renderDeleteForeverPage(frame, { count, ids, isWholeTrash }),
        )
      }
      const count = isWholeTrash
        ? await emptyOwnTrash(ctx, ctx.db, accountId)
        : await deletePermanently(ctx, ctx.db, accountId, ids)
      return await reply.redirect(`${PATH}?done=deleted.${count}`, 303)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (!EXPECTED_ERRORS.includes(rejection.code)) throw rejection
      return sendTrash(reply, { page: 1, error: describeLabeledError(rejection) }, 422)
    }
  })

  /**
   * Restores links and shows the list of links. If some could not be restored, shows the trash again
   * with their number.
   */
  async function restore(request: FastifyRequest, reply: FastifyReply, ids: readonly number[]) {
    const acting = createActingContext(ctx, request)
    const restored = await restoreLinks(acting, ctx.db, request.session.account.id, ids)
    if (restored.length < ids.length) {
      return reply.redirect(`${PATH}?done=held.${ids.length - restored.length}`, 303)
    }
    return reply.redirect(`/console/links?done=restored.${restored.length}`, 303)
  }

  type TrashState = { page: number; notice?: string | undefined; error?: string }

  /** Sends a page of the trash. Redirects to the last page if `page` is after it. */
  async function sendTrash(reply: FastifyReply, { page, notice, error }: TrashState, status = 200) {
    const { account, user } = reply.request.session
    const offset = (page - 1) * PER_PAGE
    const { entries, total } = await listTrash(ctx, ctx.db, account.id, { limit: PER_PAGE, offset })
    const lastPage = Math.max(1, Math.ceil(total / PER_PAGE))
    if (page > lastPage) return reply.redirect(`${PATH}?page=${lastPage}`, 303)
    const now = ctx.clock().getTime()
    const rows = entries.map(({ deletedAt, ...entry }) => ({
      ...entry,
      deleted: { iso: deletedAt.toISOString(), text: formatMoment(deletedAt, user.timeZone) },
      daysLeft: countDaysLeft(deletedAt, now),
    }))
    const trashPage = { rows, total, page, lastPage, notice, error }
    return sendConsolePage(reply, (frame) => renderTrashPage(frame, trashPage), { status })
  }
}

/**
 * Returns the number of days until a link is deleted permanently, from 0 to `TRASH_DAYS`, even if the
 * clocks of the database and this process differ slightly.
 */
function countDaysLeft(deletedAt: Date, now: number): number {
  const daysPassed = Math.floor((now - deletedAt.getTime()) / DAY_MS)
  return Math.max(0, Math.min(TRASH_DAYS, TRASH_DAYS - daysPassed))
}

/** The errors that are shown above the list. */
const EXPECTED_ERRORS: readonly string[] = ['invalid_input', 'too_many_links']

/** Returns the notice for a query parameter such as `deleted.2`, or undefined if it is invalid. */
function findNotice(value: unknown): string | undefined {
  const [, outcome, count] =
    /^(deleted|held)\.(\d{1,9})$/.exec(typeof value === 'string' ? value : '') ?? []
  if (outcome === undefined) return undefined
  return t(outcome === 'held' ? 'trash.notRestored' : 'trash.deleted', { n: Number(count) })
}
