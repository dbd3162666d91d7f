import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import {
  countLinksToHost,
  findBlockedHost,
  listBlockedHosts,
} from '../../../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../../../blocked-hosts/blocked-host.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { blockHost, unblockHost } from '../../../operator/moderation.service.ts'
import { removeUnstorable } from '../../../text.ts'
import { t } from '../../../texts.ts'
import { toAppError } from '../../errors.ts'
import { defineForm } from '../kit/form.ts'
import { renderPageLinks } from '../kit/pager.ts'
import {
  renderBlank,
  renderDecisionForm,
  renderFinder,
  renderNotices,
  renderUntitledPanel,
} from '../kit/parts.ts'
import { buildPath, readPositiveInteger, readText } from '../kit/query.ts'
import type { ConsoleRequest, Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { formatCount, formatDate } from '../shell/format.ts'
import { readFields } from '../shell/send.ts'
import { defineAdminSubject } from './layout.ts'

const PATH = '/console/operator/hosts'
const PER_PAGE = 50
/** Characters of hosts, including IP addresses with a port. The confirmation shows no other names. */
const HOST_PATTERN = /^[\w.:[\]-]{1,255}$/

const form = defineForm({
  host: { label: 'admin.hosts.host', hint: 'admin.hosts.hostHint', maxLength: 2000 },
  subdomains: { type: 'check', label: 'admin.hosts.includeSubdomains' },
  reason: { label: 'admin.reason', hint: 'admin.hosts.reasonHint', maxLength: 200, optional: true },
})

type State = Parameters<typeof form.render>[1] & { count?: string }

/** Registers blocked hosts: the list and the forms that change it. */
export function registerHostRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, submit, action } = defineAdminSubject(app, PATH)

  page('/hosts', 'viewer', async ({ query, session }) => {
    const q = removeUnstorable(readText(query, 'q')).slice(0, 255)
    const number = readPositiveInteger(query, 'page') ?? 1
    const slice = { limit: PER_PAGE, offset: (number - 1) * PER_PAGE }
    const { entries, total } = await listBlockedHosts(ctx.db, slice, q)
    const hrefOf = (other: number) => buildPath(PATH, { q, page: other === 1 ? undefined : other })
    return {
      title: t('admin.hosts.title'),
      body: () => html`<div class="head"><h1>${t('admin.hosts.title')}</h1><a class="button" href="${PATH}/new">${t('admin.hosts.add')}</a></div>
<p class="soft">${t('admin.hosts.intro')}</p>
${renderNotices({ notice: findNotice(query) })}
${renderFinder({
  action: PATH,
  fields: [
    {
      name: 'q',
      label: t('admin.search'),
      value: q,
      placeholder: t('admin.hosts.placeholder'),
      maxLength: 255,
    },
  ],
  submit: t('admin.search'),
  clear: t('admin.clear'),
})}
${entries.length > 0 ? renderHosts(entries, total, session.user.timeZone) : renderEmptyState(q)}
${renderPageLinks({ page: number, limit: PER_PAGE, total, hrefOf })}`,
    }
  })

  // With a host, the form says how many links lead to it.
  page('/hosts/new', 'viewer', async (request) => {
    const values = {
      host: readText(request.query, 'host'),
      subdomains: readText(request.query, 'subdomains'),
      reason: readText(request.query, 'reason'),
    }
    if (values.host === '') return renderForm({ values })
    try {
      const count = await describeLinkCount(values.host, values.subdomains !== '')
      return renderForm({ values, count })
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      return { ...renderForm({ values, errors: form.describe(rejection) }), status: 422 }
    }
  })

  submit(
    '/hosts',
    'viewer',
    form,
    async ({ session }, { subdomains, ...values }) => {
      const input = { ...values, subdomains: subdomains !== '' }
      const { host } = await blockHost(ctx, ctx.db, session.user.email, input)
      return { to: buildPath(PATH, { blocked: host }) }
    },
    async (_request, state) => ({ ...renderForm(state), status: 422 }),
  )

  page('/hosts/remove', 'viewer', async ({ query }) => {
    const { host, subdomains } = await requireBlockedHost(readText(query, 'host'))
    return renderRemoval(host, subdomains, await describeLinkCount(host, subdomains))
  })

  action('/hosts/remove', 'viewer', async ({ body, session }: ConsoleRequest) => {
    const { host } = await requireBlockedHost(readFields(body, ['host']).host)
    await unblockHost(ctx, ctx.db, session.user.email, host)
    return { to: buildPath(PATH, { unblocked: host }) }
  })

  /** @throws AppError `not_found` for a host that is invalid or not blocked */
  async function requireBlockedHost(name: string): Promise<BlockedHost> {
    const blocked = await findBlockedHost(ctx.db, name).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'invalid_input') return undefined
      throw error
    })
    if (!blocked) throw new AppError('not_found')
    return blocked
  }

  async function describeLinkCount(host: string, subdomains: boolean): Promise<string> {
    const counted = await countLinksToHost(ctx.db, host, subdomains)
    if (!counted) return t('admin.hosts.tooMany')
    const { count, atLeast } = counted
    return atLeast
      ? t('admin.hosts.atLeast', { count: formatCount(count) })
      : t('admin.hosts.links', { count })
  }
}

function renderHosts(hosts: readonly BlockedHost[], total: number, timeZone: string): SafeHtml {
  const table = renderTable(
    hosts,
    [
      {
        head: t('admin.hosts.columns.host'),
        cell: ({ host, subdomains }) =>
          html`<span class="address">${host}</span>${subdomains ? html`<span class="small soft under">${t('admin.hosts.subdomains')}</span>` : null}`,
      },
      { head: t('admin.hosts.columns.reason'), dirAuto: true, cell: ({ reason }) => reason || '–' },
      { head: t('admin.hosts.columns.by'), cell: ({ by }) => by },
      { head: t('admin.hosts.columns.on'), cell: ({ at }) => formatDate(at, timeZone) },
      {
        head: t('shell.actions'),
        hidden: true,
        className: 'changes',
        cell: ({ host }) =>
          html`<a class="change" href="${buildPath(`${PATH}/remove`, { host })}">${t('admin.hosts.unblock')}<span class="hidden-text"> ${host}</span></a>`,
      },
    ],
    { className: 'cards hosts' },
  )
  return renderUntitledPanel(
    t('admin.hosts.title'),
    html`<p class="small soft">${t('admin.hosts.count', { count: total })}</p>
${table}`,
  )
}

function renderEmptyState(q: string): SafeHtml {
  return q
    ? renderBlank(
        t('admin.noMatches'),
        t('admin.hosts.noMatches'),
        html`<a class="button quiet" href="${PATH}">${t('admin.hosts.showAll')}</a>`,
      )
    : renderBlank(
        t('admin.hosts.empty'),
        t('admin.hosts.emptyText'),
        html`<a class="button quiet" href="${PATH}/new">${t('admin.hosts.add')}</a>`,
      )
}

function renderForm({ count, ...state }: State): Page {
  const cancel = html`<button class="button quiet" formmethod="get" formaction="${PATH}/new">${t('admin.hosts.countLinks')}</button> <a class="button quiet" href="${PATH}">${t('admin.cancel')}</a>`
  return {
    title: t('admin.hosts.add'),
    body: (frame) => html`<p class="eyebrow"><a href="${PATH}">${t('admin.hosts.title')}</a></p>
<h1>${t('admin.hosts.add')}</h1>
${renderUntitledPanel(t('admin.hosts.add'), [
  form.renderError(state),
  count ? html`<p class="inset" role="status">${count}</p>` : null,
  form.render(frame, state, {
    action: PATH,
    button: t('admin.hosts.block'),
    buttonClass: 'button danger',
    more: cancel,
    autofocus: !count,
  }),
])}`,
  }
}

function renderRemoval(host: string, subdomains: boolean, count: string): Page {
  const text = subdomains ? 'admin.hosts.unblockAllText' : 'admin.hosts.unblockText'
  return {
    title: t('admin.hosts.unblockTitle', { host }),
    body: (frame) => html`<p class="eyebrow"><a href="${PATH}">${t('admin.hosts.title')}</a></p>
<h1>${t('admin.hosts.unblockQuestion', { host })}</h1>
${renderUntitledPanel(t('admin.hosts.unblock'), [
  html`<p>${t(text, { host })} ${count}</p>`,
  renderDecisionForm(
    frame,
    `${PATH}/remove`,
    [
      html`<button class="button danger">${t('admin.hosts.unblock')}</button>`,
      html`<a class="button quiet" href="${PATH}">${t('admin.cancel')}</a>`,
    ],
    { host },
  ),
])}`,
  }
}

/** Returns the confirmation named in the URL, or nothing if it names no valid host. */
function findNotice(query: unknown): string | undefined {
  const blocked = readText(query, 'blocked')
  const unblocked = readText(query, 'unblocked')
  if (HOST_PATTERN.test(blocked)) return t('admin.hosts.blocked', { host: blocked })
  return HOST_PATTERN.test(unblocked) ? t('admin.hosts.unblocked', { host: unblocked }) : undefined
}
