import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import {
  countTrash,
  deletePermanently,
  emptyOwnTrash,
  listTrash,
  restoreLinks,
  TRASH_DAYS,
} from '../../links/trash.service.ts'
import { shortLinkText } from '../../pages/short-link-text.ts'
import { t } from '../../texts.ts'
import { renderDestination, renderLinkName } from './kit/link-name.ts'
import { readPage, renderPageLinks } from './kit/pager.ts'
import { renderBlank, renderButtonForm, renderDecision, renderDecisionForm } from './kit/parts.ts'
import { readText } from './kit/query.ts'
import { readSelectedIds, renderSelectable } from './kit/selection.ts'
import { type ConsoleRequest, defineSubject, type Page } from './kit/subject.ts'
import { describeLabeledError } from './shell/describe-error.ts'
import { formatCount, formatMoment } from './shell/format.ts'
import { renderIcon } from './shell/icon.ts'
import type { Frame } from './shell/layout.ts'
import { readFields } from './shell/send.ts'

type DeletedLink = Awaited<ReturnType<typeof listTrash>>['entries'][number]

const PATH = '/console/links/trash'
const CHANGE = `${PATH}/change`
const PER_PAGE = 50
const DAY_MS = 86_400_000
/** The errors that are shown above the list. */
const EXPECTED_ERRORS = ['invalid_input', 'too_many_links']

/** Registers the links deleted in the last 30 days, which can be restored or deleted permanently. */
export function registerTrashRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, action } = defineSubject(app, '/console/links')
  page('/links/trash', 'viewer', (request) => renderTrash(request))

  action('/links/trash/change', 'editor', change, (request, rejection) => {
    if (!EXPECTED_ERRORS.includes(rejection.code)) throw rejection
    return renderTrash(request, rejection)
  })

  async function change(request: ConsoleRequest) {
    const form = readFields(request.body, ['action', 'sure', 'all'])
    const isWholeTrash = form.all === 'yes'
    const ids = isWholeTrash ? [] : readSelectedIds(request.body)
    if (form.action === 'restore') return restore(request, ids)
    if (form.action !== 'forever') throw new AppError('malformed_request')
    if (form.sure !== 'yes') {
      const count = isWholeTrash ? await countTrash(request.scope) : ids.length
      return renderConfirmation(count, isWholeTrash ? { all: 'yes' } : { id: ids.map(String) })
    }
    const count = isWholeTrash
      ? await emptyOwnTrash(request.scope)
      : await deletePermanently(request.scope, ids)
    return { to: `${PATH}?done=deleted.${count}` }
  }

  /**
   * Restores links and shows the list of links. If some could not be restored, shows the trash again
   * with their number.
   */
  async function restore(request: ConsoleRequest, ids: readonly number[]) {
    const restored = await restoreLinks(request.scope, ids)
    const held = ids.length - restored.length
    const done = `done=restored.${restored.length}`
    return { to: held > 0 ? `${PATH}?done=held.${held}` : `/console/links?${done}` }
  }

  /** Returns a page of the trash. Redirects to the last one if the query's page is after it. */
  async function renderTrash({ scope, query }: ConsoleRequest, rejection?: AppError) {
    const number = readPage(query)
    const slice = { limit: PER_PAGE, offset: (number - 1) * PER_PAGE }
    const { entries, total } = await listTrash(scope, slice)
    const lastPage = Math.max(1, Math.ceil(total / PER_PAGE))
    if (number > lastPage) return { to: `${PATH}?page=${lastPage}` }
    const hrefOf = (other: number) => `${PATH}?page=${other}`
    return {
      title: t('trash.title'),
      ...(rejection && { status: 422 }),
      confirmation: findNotice(readText(query, 'done')),
      body: (
        frame: Frame,
      ) => html`<p class="small"><a href="/console/links">${t('trash.links')}</a></p>
<h1>${t('trash.title')}</h1>
${rejection ? html`<p class="notice" role="alert">${describeLabeledError(rejection)}</p>` : null}
${
  entries.length === 0
    ? renderEmptyState()
    : html`<p class="lead">${t('trash.lead')}</p>
${renderLinks(frame, entries, total, ctx.clock())}
${renderPageLinks({ page: number, limit: PER_PAGE, total, hrefOf })}
${renderDecisionForm(frame, CHANGE, [renderDecision(['action', 'forever'], t('trash.empty'))], { all: 'yes' })}`
}`,
    }
  }
}

function renderLinks(
  frame: Frame,
  links: readonly DeletedLink[],
  total: number,
  now: Date,
): SafeHtml {
  return renderSelectable(frame, {
    label: t('trash.title'),
    className: 'links trash',
    count: t('trash.count', { n: total }),
    rows: links,
    columns: [
      {
        head: t('trash.heads.link'),
        className: 'what',
        cell: ({ title, shortUrl, deletedAt }) =>
          renderLinkName(
            { metaTitle: title, shortUrl },
            {
              below: html`<span class="why cut">${t('trash.left', { n: countDaysLeft(deletedAt, now) })}</span>`,
            },
          ),
      },
      {
        head: t('trash.heads.destination'),
        className: 'target',
        cell: ({ url }) => renderDestination(url),
      },
      { head: t('trash.heads.clicks'), isNumber: true, cell: ({ clicks }) => formatCount(clicks) },
      {
        head: t('trash.heads.deleted'),
        headContent: html`${t('trash.heads.deleted')}`,
        className: 'created soft',
        cell: ({ deletedAt }) =>
          html`<time datetime="${deletedAt.toISOString()}">${formatMoment(deletedAt, frame.timeZone)}</time>`,
      },
      {
        head: t('trash.actions'),
        hidden: true,
        className: 'row-end',
        cell: ({ id, shortUrl }) =>
          renderButtonForm(frame, {
            action: CHANGE,
            text: t('trash.restore'),
            subject: shortLinkText(shortUrl),
            fields: { action: 'restore', id: String(id) },
          }),
      },
    ],
    form: {
      action: CHANGE,
      label: t('trash.actions'),
      none: t('trash.noneSelected'),
      some: t('trash.selected'),
      all: t('trash.selectAll'),
      one: ({ shortUrl }) => t('trash.select', { link: shortLinkText(shortUrl) }),
      content: html`<div class="bulk-buttons">${renderDecision(['action', 'restore'], t('trash.restore'))}
${renderDecision(['action', 'forever'], t('trash.deleteForever'), { className: 'button danger small' })}</div>`,
    },
  })
}

/**
 * Returns the number of days until a link is deleted permanently, from 0 to `TRASH_DAYS`, even if the
 * clocks of the database and this process differ slightly.
 */
function countDaysLeft(deletedAt: Date, now: Date): number {
  const daysPassed = Math.floor((now.getTime() - deletedAt.getTime()) / DAY_MS)
  return Math.max(0, Math.min(TRASH_DAYS, TRASH_DAYS - daysPassed))
}

function renderEmptyState(): SafeHtml {
  return renderBlank(
    t('trash.emptyTitle'),
    t('trash.emptyText'),
    html`<a class="button quiet" href="/console/links">${t('trash.backToLinks')}</a>`,
    renderIcon('trash'),
  )
}

/** Renders the confirmation of a permanent deletion. `fields` name the links, or the whole trash. */
function renderConfirmation(count: number, fields: Record<string, string | string[]>): Page {
  const title = t('trash.askTitle', { n: count })
  const buttons = [
    renderDecision(['action', 'forever'], t('trash.askButton', { n: count }), {
      className: 'button danger',
    }),
    html`<a class="button quiet" href="${PATH}">${t('trash.cancel')}</a>`,
  ]
  return {
    title,
    body: (frame) => html`<h1>${title}</h1>
<p class="lead">${t('trash.askText')}</p>
${renderDecisionForm(frame, CHANGE, buttons, { sure: 'yes', ...fields })}`,
  }
}

/** Returns the notice for a query parameter such as `deleted.2`, or undefined if it is invalid. */
function findNotice(done: string): string | undefined {
  const [, outcome, count] = /^(deleted|held)\.(\d{1,9})$/.exec(done) ?? []
  if (outcome === undefined) return undefined
  return t(outcome === 'held' ? 'trash.notRestored' : 'trash.deleted', { n: Number(count) })
}
