import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import {
  endSubscription,
  type ReportSetting,
  type Subscription,
  setReportSetting,
} from '../../email-reports/subscription.service.ts'
import { AppError } from '../../errors.ts'
import { t, tAll } from '../../texts.ts'
import { readSubject, type Subject } from './analytics/subject.ts'
import { listChoices } from './kit/fields.ts'
import { defineForm } from './kit/form.ts'
import { renderDropdown } from './kit/menu.ts'
import { renderButtonForm, renderLink, renderUntitledPanel } from './kit/parts.ts'
import { parseConsolePath } from './kit/query.ts'
import { type ConsoleRequest, defineSubject, idOf } from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import type { Frame } from './shell/layout.ts'

const SETTINGS = '/console/settings'

export const listFrequencies = () => listChoices(tAll('settings.reports.choices'))

/** The form of the report on a link or campaign. `back` is the page to return to. */
const form = defineForm({
  frequency: {
    type: 'select',
    label: 'settings.reports.frequency',
    hint: 'settings.reports.hint',
    choices: listFrequencies,
  },
  back: { type: 'hidden' },
})

/** Registers the reports on single links and campaigns, and the end of one of them. */
export function registerReportRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx

  for (const kind of ['link', 'campaign'] as const) {
    const { submit } = defineSubject(app, `/console/${kind}s`)

    submit(
      `/${kind}s/:id/report`,
      'viewer',
      form,
      async (request, { frequency: setting, back }) => {
        const { scope, session } = request
        const { id, path } = await findSubject(request)
        const key = { accountId: scope.accountId, userId: session.user.id, subject: { kind, id } }
        const { timeZone } = session.user
        await setReportSetting(ctx, db, key, { setting, timeZone })
        return { to: parseConsolePath(back) ?? path, toast: 'saved' }
      },
      async (request, state) => {
        const { name, path } = await findSubject(request)
        const title = t('settings.reports.on', { name })
        const rendering = {
          action: `${path}/report`,
          button: t('settings.save'),
          more: html`<a class="button quiet" href="${path}">${t('shell.cancel')}</a>`,
        }
        return {
          title,
          body: (frame) => html`<h1 dir="auto">${title}</h1>
${renderUntitledPanel(t('settings.reports.title'), [form.renderError(state), form.render(frame, state, rendering)])}`,
        }
      },
    )

    async function findSubject(request: ConsoleRequest): Promise<Subject> {
      if (!config.mail) throw new AppError('not_found')
      return readSubject(request.scope, kind, idOf(request))
    }
  }

  const { action } = defineSubject(app, SETTINGS)
  action('/settings/reports/:id/end', 'viewer', async (request) => {
    const { scope, session } = request
    await endSubscription(scope, { userId: session.user.id, id: idOf(request) })
    return { to: SETTINGS, toast: 'reportEnded' }
  })
}

/** Renders the menu with the report on a link or campaign. `back` is the page to return to. */
export function renderReportMenu(
  frame: Frame,
  { path }: Pick<Subject, 'path'>,
  frequency: ReportSetting,
  back: string,
): SafeHtml | null {
  const state = { values: { frequency, back } }
  const rendering = {
    action: `${path}/report`,
    button: t('settings.save'),
    buttonClass: 'button small',
  }
  const content = form.render(frame, state, rendering)
  const name = frequency === 'off' ? 'menu' : 'menuOn'
  return content && renderDropdown(t(`settings.reports.${name}`), content, 'share-menu')
}

/** Renders a member's reports on links and campaigns, each with a button that ends it. */
export function renderReports(frame: Frame, subscriptions: readonly Subscription[]): SafeHtml {
  const choices = tAll('settings.reports.choices')
  return html`<h3>${t('settings.reports.others')}</h3>
${renderTable(
  subscriptions,
  [
    {
      head: t('settings.reports.subject'),
      cell: ({ name, subject, isInTrash }) =>
        isInTrash
          ? html`<bdi>${name}</bdi> <span class="chip">${t('settings.reports.paused')}</span>`
          : renderLink(frame, `/console/${subject.kind}s/${subject.id}`, html`<bdi>${name}</bdi>`),
    },
    {
      head: t('settings.reports.kind'),
      cell: ({ subject }) => t(`settings.reports.kinds.${subject.kind}`),
    },
    { head: t('settings.reports.frequency'), cell: ({ frequency }) => choices[frequency] },
    {
      head: t('shell.actions'),
      hidden: true,
      cell: ({ id, name }) =>
        renderButtonForm(frame, {
          action: `${SETTINGS}/reports/${id}/end`,
          text: t('settings.reports.end'),
          subject: name,
        }),
    },
  ],
  { empty: t('settings.reports.none') },
)}`
}
