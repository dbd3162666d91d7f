import type { FastifyInstance, FastifyReply } from 'fastify'
import { dayOf, ifAvailable, readDailyClicks, readTotals } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { listDomains } from '../../../domains/domain.service.ts'
import { AppError } from '../../../errors.ts'
import { setLinkStatus } from '../../../links/link.service.ts'
import {
  listLinkIds,
  listLinks,
  matchesMoreThan,
  readLinkNames,
} from '../../../links/link-list.service.ts'
import { consumeUndo } from '../../../links/undo.service.ts'
import { campaigns as campaignResource } from '../../../resources/campaigns.ts'
import type { Scope } from '../../../scope.ts'
import { listTagNames } from '../../../tags/tag.service.ts'
import { FORMATS } from '../../../transfer/export.service.ts'
import { parsePathId } from '../../request/path-id.ts'
import { type OpenExport, sendExport } from '../export.ts'
import { readText } from '../kit/query.ts'
import { checkSelection, readSelectedIds } from '../kit/selection.ts'
import { type ConsoleRequest, defineSubject, idOf } from '../kit/subject.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { readFields } from '../shell/send.ts'
import {
  type ActionName,
  changeLinks,
  describeOutcome,
  formatOutcome,
  readAction,
  renderDeletion,
} from './changes.ts'
import { PER_PAGE, renderList } from './list.ts'
import { buildUrl, ORDERS, parseListUrl, readView, toLinkFilter, type View } from './view.ts'

/** The number of days with daily clicks in each row. */
const RECENT_DAYS = 30
/** The maximum number of tags to select from. Other tags can be selected in the rows of their links. */
const MAX_TAG_CHOICES = 200
/** The domains and campaigns to select from. */
const CHOICES_PAGE = { limit: 200, offset: 0 }
/** The maximum number of search results that one action changes. */
const MAX_CHANGED = 100_000
/** The maximum number of links that the confirmation of a deletion names. */
const MAX_NAMES = 100
/** The errors that are shown above the list. */
const EXPECTED_ERRORS = ['invalid_input', 'too_many_links']
/**
 * The fields of the form of the list and of the confirmation page. `back` is the URL of the list,
 * `all` selects all results, and `count` is the number of links whose deletion `sure` confirms.
 */
const FIELDS = ['action', 'tag', 'campaign', 'expires', 'back', 'sure', 'all', 'count'] as const

/** The confirmations of actions on a link's own page. */
const toasts = {
  disable: 'linkDisabled',
  enable: 'linkEnabled',
  archive: 'linkArchived',
  unarchive: 'linkUnarchived',
} as const

/** Registers the list of links, and the forms that change, export or delete one or many of them. */
export function registerLinkRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  openExport: OpenExport,
): void {
  const { db } = ctx
  const { page, action } = defineSubject(app, '/console/links')

  page('/links', 'viewer', (request) =>
    showList(request, readView(request.query), {
      notice: describeOutcome(readText(request.query, 'done')),
    }),
  )

  action('/links/change', 'editor', change, (request, rejection) => {
    if (!EXPECTED_ERRORS.includes(rejection.code)) throw rejection
    const view = parseListUrl(readFields(request.body, ['back']).back)
    return showList(request, view, { error: describeLabeledError(rejection) })
  })

  action('/links/undo', 'editor', async (request) => {
    const { id, back } = readFields(request.body, ['id', 'back'])
    const undoing = await consumeUndo(request.scope, parsePathId(id))
    if (!undoing) throw new AppError('not_found')
    const { outcome, undo } = await changeLinks(request, undoing)
    // An action undone on a link's page is confirmed there.
    const isLinkPage = /^\/console\/links\/\d+$/.test(back)
    const toast = isLinkPage && isToggle(undoing.action) ? toasts[undoing.action] : ''
    const list = buildUrl(parseListUrl(back), formatOutcome(outcome))
    return { to: toast ? back : list, toast, undo }
  })

  for (const name of ['disable', 'enable', 'archive', 'unarchive'] as const) {
    action(`/links/:id/${name}`, 'editor', async (request) => {
      const id = idOf(request)
      if (name === 'enable') {
        // If an admin disabled the link, this throws with the reason. Otherwise it would be skipped.
        await setLinkStatus(request.scope, id, 'active')
      }
      const { undo, found } = await changeLinks(request, { action: name, ids: [id] })
      if (found === 0) throw new AppError('not_found')
      return { to: `/console/links/${id}`, toast: toasts[name], undo }
    })
  }

  action('/links/:id/delete', 'editor', async (request) => {
    const ids = [idOf(request)]
    const { outcome, undo } = await changeLinks(request, { action: 'delete', ids })
    if (outcome.count === 0) throw new AppError('not_found')
    return { to: buildUrl(parseListUrl(''), formatOutcome(outcome)), toast: '', undo }
  })

  async function change(request: ConsoleRequest, reply: FastifyReply) {
    const form = readFields(request.body, FIELDS)
    const view = parseListUrl(form.back)
    const areAllResults = form.all === 'yes'
    const ids = areAllResults ? await listIds(request, view) : readSelectedIds(request.body)
    const format = FORMATS.find((each) => each === form.action)
    if (format)
      return sendExport(ctx, reply, format, openExport(request.session.account.id, format, ids))
    const { action, value } = readAction(form)
    // The confirmation does not cover links that matched after it was shown.
    const isCountCurrent = !areAllResults || Number(form.count) === ids.length
    const isConfirmed = form.sure === 'yes' && isCountCurrent
    if (action === 'delete' && !isConfirmed) return confirm(request, ids, view, areAllResults)
    const { outcome, undo } = await changeLinks(request, { action, ids, value })
    return { to: buildUrl(view, formatOutcome(outcome)), toast: '' as const, undo }
  }

  /**
   * Returns the ids of all links that match a view.
   *
   * @throws AppError `invalid_input` if there are none, or more than `MAX_CHANGED`
   */
  async function listIds({ scope }: ConsoleRequest, view: View): Promise<number[]> {
    const filter = toLinkFilter(view)
    const ids = await listLinkIds(scope, filter, MAX_CHANGED + 1)
    checkSelection(ids.length, MAX_CHANGED)
    return ids
  }

  /**
   * Asks whether to delete links, and names the first ones with their clicks.
   *
   * @throws AppError `not_found` if none of these links exists
   */
  async function confirm(
    { scope }: ConsoleRequest,
    ids: readonly number[],
    view: View,
    areAllResults: boolean,
  ) {
    const names = await readLinkNames(scope, ids.slice(0, MAX_NAMES))
    if (names.size === 0) throw new AppError('not_found')
    const totals = await readTotals(db, [...names.keys()])
    const links = ids.flatMap((id) => {
      const name = names.get(id)
      return name ? { id, ...name, clicks: totals.get(id)?.clicks ?? 0 } : []
    })
    const count = areAllResults ? ids.length : links.length
    return renderDeletion(links, { count, areAllResults, back: buildUrl(view) })
  }

  /** Shows a view of the list. Redirects to the last page if the view's page is after it. */
  async function showList(
    { scope, session }: ConsoleRequest,
    view: View,
    { notice, error }: { notice?: string | undefined; error?: string },
  ) {
    const { user } = session
    const [results, tags, domains, campaigns] = await Promise.all([
      readResults(scope, view),
      listTagNames(scope, MAX_TAG_CHOICES),
      listDomains(scope, CHOICES_PAGE),
      campaignResource.list(scope, CHOICES_PAGE),
    ])
    const lastPage = Math.max(1, Math.ceil(results.total / PER_PAGE))
    if (view.page > lastPage) return { to: buildUrl({ ...view, page: lastPage }) }
    const now = ctx.clock()
    const today = dayOf(now)
    const ids = results.entries.map(({ id }) => id)
    const period = { from: today - RECENT_DAYS + 1, to: today }
    const list = {
      ...results,
      view,
      now,
      areAllOffered: lastPage > 1 && (await mayChangeAll(scope, view, results)),
      dailyClicks: await ifAvailable(readDailyClicks(db, ids, period)),
      hosts: await ctx.blockList.current(),
      zone: user.timeZone,
      choices: {
        tags,
        domains: domains.entries,
        campaigns: campaigns.entries,
        // Links can only be broken if they are checked.
        broken: ctx.config.linkCheck,
      },
      error: error ?? results.error,
    }
    return renderList(list, notice)
  }

  /** Returns the links of a view's page, or the error of an invalid search. */
  async function readResults(scope: Scope<HttpContext>, view: View) {
    const order = ORDERS[view.sort]
    const slice = { limit: PER_PAGE, offset: (view.page - 1) * PER_PAGE }
    const query = { order, ...slice, filter: toLinkFilter(view), limitCount: true }
    try {
      const { entries, total, hasMore = false, readTo } = await listLinks(scope, query)
      return { entries, total, hasMore, readTo, error: undefined }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
      const none = { entries: [], total: 0, hasMore: false, readTo: undefined }
      return { ...none, error: describeLabeledError(error) }
    }
  }

  /** Returns whether the actions may apply to all results: they are all known, and not too many. */
  async function mayChangeAll(
    scope: Scope<HttpContext>,
    view: View,
    { total, hasMore, readTo }: Awaited<ReturnType<typeof readResults>>,
  ): Promise<boolean> {
    if (readTo !== undefined || view.after !== '') return false
    if (!hasMore) return total <= MAX_CHANGED
    return !(await matchesMoreThan(scope, toLinkFilter(view), MAX_CHANGED))
  }
}

function isToggle(action: ActionName): action is keyof typeof toasts {
  return action in toasts
}
