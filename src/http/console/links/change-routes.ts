import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readTotals } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { setLinkStatus } from '../../../links/link.service.ts'
import { listLinkIds, readLinkNames } from '../../../links/link-list.service.ts'
import { consumeUndo } from '../../../links/undo.service.ts'
import { exportLinks, FORMATS, type Format } from '../../../transfer/export.service.ts'
import { toAppError } from '../../errors.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'
import type { OpenExport } from '../export.ts'
import { sendExport } from '../export.ts'
import { formFor } from '../kit/roles.ts'
import { createActingContext } from '../shell/acting.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { setToast, type ToastName } from '../shell/toast.ts'
import { type ActionName, createBulkActions, readAction } from './bulk-actions.ts'
import { renderDeleteLinksPage } from './delete-page.ts'
import { formatOutcome } from './outcome.ts'
import { MAX_CHANGED, sendList } from './routes.ts'
import { readSelectedIds } from './selected-ids.ts'
import { buildUrl, parseListUrl, toLinkFilter, type View } from './view.ts'

type LinkRequest = FastifyRequest<{ Params: { id: string } }>

/** The maximum number of links that the confirmation page names. */
const MAX_NAMES = 100
/**
 * The fields of the form of the list and of the confirmation page. `back` is the URL of the list,
 * `all` selects all results, and `count` is the number of links whose deletion `sure` confirms.
 */
const FIELDS = ['action', 'tag', 'campaign', 'expires', 'back', 'sure', 'all', 'count'] as const

/**
 * Registers the routes that change or export selected links, change a single link, and undo a change.
 */
export function registerLinkChangeRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  openExport: OpenExport,
): void {
  const perform = createBulkActions(ctx)

  app.post('/links/change', formFor('editor'), async (request, reply) => {
    const form = readFields(request.body, FIELDS)
    const view = parseListUrl(form.back ?? '')
    const areAllResults = form.all === 'yes'
    const accountId = request.session.account.id
    try {
      const ids = areAllResults ? await listIds(accountId, view) : readSelectedIds(request.body)
      const format = FORMATS.find((each) => each === form.action)
      if (format) return await exportSelected(request, reply, ids, format)
      const action = readAction(form.action ?? '')
      // The confirmation does not cover links that matched after it was shown.
      const isCountCurrent = !areAllResults || Number(form.count) === ids.length
      const isConfirmed = form.sure === 'yes' && isCountCurrent
      if (action === 'delete' && !isConfirmed) {
        return await sendConfirmation(reply, ids, view, areAllResults)
      }
      const value = readArgument(action, form)
      const { outcome, undo } = await perform(request, { action, ids, value })
      setToast(reply, '', undo)
      return await reply.redirect(buildUrl(view, formatOutcome(outcome)), 303)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (!EXPECTED_ERRORS.includes(rejection.code)) throw rejection
      return sendList(ctx, reply, view, { error: describeLabeledError(rejection), status: 422 })
    }
  })

  app.post('/links/undo', formFor('editor'), async (request, reply) => {
    const { id, back } = readFields(request.body, ['id', 'back'])
    const accountId = request.session.account.id
    const undoing = await consumeUndo(ctx.db, accountId, parsePathId(id))
    if (!undoing) throw new AppError('not_found')
    const { outcome, undo } = await perform(request, undoing)
    // An action undone on a link's page is confirmed there.
    const linkToast = /^\/console\/links\/\d+$/.test(back) ? toasts[undoing.action] : undefined
    setToast(reply, linkToast ?? '', undo)
    const list = buildUrl(parseListUrl(back), formatOutcome(outcome))
    return reply.redirect(linkToast ? back : list, 303)
  })

  for (const action of ['disable', 'enable', 'archive', 'unarchive'] as const) {
    app.post(`/links/:id/${action}`, formFor('editor'), async (request: LinkRequest, reply) => {
      const id = parsePathId(request.params.id)
      const accountId = request.session.account.id
      if (action === 'enable') {
        const acting = createActingContext(ctx, request)
        // If an admin disabled the link, this throws with the reason. `perform` would only skip it.
        await setLinkStatus(acting, ctx.db, accountId, id, 'active')
      }
      const { outcome, undo } = await perform(request, { action, ids: [id], value: '' })
      if (outcome.count + outcome.blocked === 0) throw new AppError('not_found')
      setToast(reply, toasts[action] ?? '', undo)
      return reply.redirect(`/console/links/${id}`, 303)
    })
  }

  app.post('/links/:id/delete', formFor('editor'), async (request: LinkRequest, reply) => {
    const ids = [parsePathId(request.params.id)]
    const { outcome, undo } = await perform(request, { action: 'delete', ids, value: '' })
    if (outcome.count === 0) throw new AppError('not_found')
    setToast(reply, '', undo)
    return reply.redirect(buildUrl(parseListUrl(''), formatOutcome(outcome)), 303)
  })

  /**
   * Returns the ids of all links that match a view.
   *
   * @throws AppError `invalid_input` if there are none, or more than `MAX_CHANGED`
   */
  async function listIds(accountId: number, view: View): Promise<number[]> {
    const ids = await listLinkIds(ctx, ctx.db, accountId, toLinkFilter(view), MAX_CHANGED + 1)
    if (ids.length > MAX_CHANGED)
      throw new AppError('invalid_input', {
        field: 'id',
        text: 'links.tooMany',
        args: { n: MAX_CHANGED },
      })
    if (ids.length === 0)
      throw new AppError('invalid_input', { field: 'id', text: 'links.noneSelected' })
    return ids
  }

  function exportSelected(
    request: FastifyRequest,
    reply: FastifyReply,
    ids: readonly number[],
    format: Format,
  ) {
    const { account } = request.session
    const readParts = () => exportLinks(ctx, ctx.db, account.id, format, ids)
    return sendExport(reply, { account, format, readParts, openExport, now: ctx.clock() })
  }

  /**
   * Sends the page that confirms a deletion, with the first links and their clicks.
   *
   * @throws AppError `not_found` if none of these links exists
   */
  async function sendConfirmation(
    reply: FastifyReply,
    ids: readonly number[],
    view: View,
    areAllResults: boolean,
  ) {
    const { account } = reply.request.session
    const names = await readLinkNames(ctx, ctx.db, account.id, ids.slice(0, MAX_NAMES))
    if (names.size === 0) throw new AppError('not_found')
    const totals = await readTotals(ctx.db, [...names.keys()])
    const links = ids.flatMap((id) => {
      const name = names.get(id)
      return name ? { id, shortUrl: name.shortUrl, clicks: totals.get(id)?.clicks ?? 0 } : []
    })
    const count = areAllResults ? ids.length : links.length
    const page = { links, count, listUrl: buildUrl(view), areAllResults }
    return sendConsolePage(reply, (frame) => renderDeleteLinksPage(frame, page))
  }
}

/** The errors that are shown above the list. */
const EXPECTED_ERRORS: readonly string[] = ['invalid_input', 'too_many_links']

/** The confirmations of actions on a link's own page. */
const toasts: Partial<Record<ActionName, ToastName>> = {
  disable: 'linkDisabled',
  enable: 'linkEnabled',
  archive: 'linkArchived',
  unarchive: 'linkUnarchived',
}

/** Returns the submitted value for an action: a tag, a campaign's id, a day, or an empty string. */
function readArgument(action: ActionName, form: Readonly<Record<string, string>>): string {
  switch (action) {
    case 'tag':
    case 'untag':
      return form.tag ?? ''
    case 'campaign':
    case 'uncampaign':
      return form.campaign ?? ''
    case 'expire':
      return form.expires ?? ''
    default:
      return ''
  }
}
