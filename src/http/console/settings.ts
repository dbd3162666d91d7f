import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import {
  getReportSetting,
  listSubscriptions,
  setReportSetting,
} from '../../email-reports/subscription.service.ts'
import { AppError } from '../../errors.ts'
import { listConnections } from '../../identity/key.service.ts'
import { isConnected } from '../../identity/oidc/sign-in.service.ts'
import { updateUserSettings } from '../../identity/user.service.ts'
import { includesRole } from '../../identity/user.ts'
import { LANGUAGES, t } from '../../texts.ts'
import { listTimeZones } from '../../time-zone.ts'
import { withScript } from './assets.ts'
import { renderConnectedApps } from './connected-apps.ts'
import { listFrequencies, renderReports } from './email-reports.ts'
import { confirmPassword } from './kit/confirmation.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderNotices, renderPanel, renderUntitledPanel } from './kit/parts.ts'
import { type ConsoleRequest, defineSubject, type Page } from './kit/subject.ts'
import { startConnection } from './oidc/oidc.ts'
import { describeLabeledError } from './shell/describe-error.ts'
import { formatMoment } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'

const PATH = '/console/settings'

const connectForm = defineForm({
  currentPassword: { type: 'confirmation', label: 'oidc.connect.password' },
})

/** Defines the form of the language and time zone. `currentTime` is in the stored time zone. */
function defineSettingsForm(currentTime: string) {
  return defineForm({
    language: {
      type: 'select',
      label: 'settings.language',
      hint: 'settings.languageHint',
      choices: () =>
        Object.entries(LANGUAGES).map(([lang, label]) => ({ value: lang, label, lang })),
    },
    timeZone: {
      label: 'settings.timeZone',
      hint: () => t('settings.timeZoneHint', { now: currentTime }),
      maxLength: 64,
      attributes: html` list="time-zones" spellcheck="false"`,
    },
  })
}

/** Defines the form of the reports on an account. */
function defineReportsForm(account: string) {
  return defineForm({
    frequency: {
      type: 'select',
      label: () => t('settings.reports.label', { account }),
      hint: 'settings.reports.hint',
      choices: listFrequencies,
    },
  })
}

/** Registers the signed-in user's settings: language, time zone, reports and identity provider. */
export function registerSettingsRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock, config, db } = ctx
  const { page, submit } = defineSubject(app, PATH)

  page('/settings', 'viewer', (request) => renderSettings(request))

  submit(
    '/settings',
    'viewer',
    defineSettingsForm(''),
    async ({ session }, input) => {
      await updateUserSettings(db, session.user.id, input)
      return { to: PATH, toast: 'saved' }
    },
    renderSettings,
  )

  submit(
    '/settings/reports',
    'viewer',
    defineReportsForm(''),
    async ({ session }, { frequency: setting }) => {
      if (!config.mail) throw new AppError('not_found')
      const { timeZone } = session.user
      await setReportSetting(ctx, db, toSubscription(session), { setting, timeZone })
      return { to: PATH, toast: 'saved' }
    },
    renderSettings,
  )

  submit(
    '/settings/connect',
    'viewer',
    connectForm,
    async (request, { currentPassword }, reply) => {
      if (!ctx.provider) throw new AppError('not_found')
      try {
        await confirmPassword(ctx, request, currentPassword)
        return await startConnection(ctx, ctx.provider, reply)
      } catch (error) {
        if (!(error instanceof AppError) || error.status < 500) throw error
        const errors = { form: describeLabeledError(error) }
        return { ...(await renderSettings(request, { errors })), status: error.status }
      }
    },
    renderSettings,
  )

  async function renderSettings(
    { scope, session }: ConsoleRequest,
    { values, errors = {} }: PageState = {},
  ): Promise<Page> {
    const { account, role, user } = session
    const frequency = config.mail && (await getReportSetting(db, toSubscription(session)))
    const subscriptions = config.mail ? await listSubscriptions(scope, user.id) : []
    const provider = config.oidc && {
      name: config.oidc.name,
      isConnected: await isConnected(db, user.id),
    }
    const isOwner = ctx.authorizationServer && includesRole(role, 'owner')
    const connections = isOwner ? await listConnections(scope) : undefined
    const settingsForm = defineSettingsForm(formatMoment(clock(), user.timeZone))
    const { language, timeZone } = user
    return {
      title: t('settings.title'),
      body: (frame) => html`<h1>${t('settings.title')}</h1>
<p class="soft">${t('settings.intro')}</p>
${renderNotices({ error: errors.form })}
${renderUntitledPanel(t('settings.title'), [
  settingsForm.render(
    frame,
    { values: { language, timeZone, ...values }, errors },
    {
      action: PATH,
      button: t('settings.save'),
      more: html`<button class="button quiet" type="button" data-browser-zone${withScript('time-zone')} hidden>${t('settings.useBrowserZone')}</button>`,
    },
  ),
  html`<datalist id="time-zones">${listTimeZones().map((name) => html`<option value="${name}"></option>`)}</datalist>`,
])}
${
  frequency
    ? renderPanel('reports', t('settings.reports.title'), [
        defineReportsForm(account.username).render(
          frame,
          { values: { frequency }, errors },
          { action: `${PATH}/reports`, button: t('settings.reports.save') },
        ),
        renderReports(frame, subscriptions),
      ])
    : renderPanel(
        'reports',
        t('settings.reports.title'),
        html`<p class="soft">${t('settings.reports.noMail')}</p>`,
      )
}
${provider ? renderProvider(frame, provider, errors) : null}
${connections ? renderConnectedApps(frame, connections, { account: account.username, timeZone }) : null}`,
    }
  }
}

/** Renders whether the identity provider is connected, or the form that connects it. */
function renderProvider(
  frame: Frame,
  { name, isConnected }: { name: string; isConnected: boolean },
  errors: PageState['errors'] & object,
): SafeHtml {
  const title = t('oidc.connect.title')
  if (isConnected) {
    return renderPanel('provider', title, html`<p>${t('oidc.connect.connected', { name })}</p>`)
  }
  return renderPanel('provider', title, [
    html`<p class="soft">${t('oidc.connect.text', { name })}</p>`,
    connectForm.render(
      frame,
      { errors },
      {
        action: `${PATH}/connect`,
        button: t('oidc.connect.button', { name }),
        buttonClass: 'button quiet',
      },
    ),
  ])
}

function toSubscription({ account, user }: ConsoleRequest['session']) {
  return { accountId: account.id, userId: user.id }
}
