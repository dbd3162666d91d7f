import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { errorPage, getErrorTitle } from '../../pages/error.ts'
import type { Snapshot } from '../../process/metrics-messages.ts'
import { PLAIN_RESOURCES } from '../../resources/resources.ts'
import { getLanguage, runWithLocale, t } from '../../texts.ts'
import { compressReplies } from '../compression.ts'
import { createErrorHeaders } from '../errors.ts'
import { followLanguage } from '../follow-language.ts'
import { toCountedError } from '../html/error-page.ts'
import { requireServiceHost, sendNotFound } from '../html/not-found.ts'
import { sendPage } from '../html/send-page.ts'
import { registerAccountRoutes, registerDeletedRoute } from './account.ts'
import { registerSwitchRoutes } from './accounts.ts'
import { registerAnalyticsRoutes } from './analytics/routes.ts'
import { registerShareRoutes } from './analytics/share.ts'
import { registerAssetRoute } from './assets.ts'
import { createBioRoutes } from './bios.ts'
import { registerCampaignRoutes } from './campaigns.ts'
import { registerChannelRoutes } from './channels.ts'
import { createCodeRoutes } from './codes/code.ts'
import { registerConnectionRoutes } from './connected-apps.ts'
import { createDomainRoutes } from './domains/domains.ts'
import { registerReportRoutes } from './email-reports.ts'
import { createExports, registerExportRoutes } from './export.ts'
import { registerForgotPasswordRoutes } from './forgot-password.ts'
import { checkSameOrigin, guardConsole } from './guard.ts'
import { registerImportRoutes } from './import/imports.ts'
import { registerInvitationRoutes } from './invitation.ts'
import { registerKeyRoutes } from './keys/keys.ts'
import { pageFor } from './kit/roles.ts'
import { registerHistoryRoutes } from './link/history.ts'
import { registerLinkPageRoutes } from './link/link.ts'
import { createLinkEditorRoutes } from './link-editor/editor.ts'
import { registerLinkRoutes } from './links/links.ts'
import { registerLiveRoute } from './live.ts'
import { registerMemberRoutes } from './members.ts'
import { registerOidcRoutes } from './oidc/oidc.ts'
import { createOperatorPages } from './operator/plugin.ts'
import { registerOverlayRoutes } from './overlays.ts'
import { registerOverviewRoutes } from './overview.ts'
import { registerResourcePages } from './resources/pages.ts'
import { registerRobotRoutes } from './robots.ts'
import { registerSearchRoute } from './search.ts'
import { registerSecondFactorRoutes } from './second-factor/settings.ts'
import { registerVerifyRoutes } from './second-factor/verify.ts'
import { registerSettingsRoutes } from './settings.ts'
import { describeLabeledError } from './shell/describe-error.ts'
import { renderConsolePage } from './shell/layout.ts'
import { sendConsolePage } from './shell/send.ts'
import { registerThemeRoute } from './shell/theme-route.ts'
import { registerSignInRoutes, registerSignOutRoute } from './sign-in.ts'
import { registerSplashRoutes } from './splashes.ts'
import { registerTrashRoutes } from './trash.ts'
import { createUnsubscribeRoutes } from './unsubscribe.ts'
import { registerWebhookRoutes } from './webhooks.ts'

type CollectMetrics = () => Promise<Snapshot[]>

/** Creates the plugin for the console, which exists only on the service's own host. */
export function createConsolePages(ctx: HttpContext, collectMetrics: CollectMetrics) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.setErrorHandler((error, request, reply) => sendErrorPage(ctx, error, request, reply))
    await compressReplies(app)
    followLanguage(app)
    app.addHook('onRequest', requireServiceHost(ctx))
    app.addHook('onRequest', async (request) => checkSameOrigin(request))
    registerAssetRoute(app, (reply) => sendNotFound(ctx, reply, { kind: 'service' }))
    registerSignInRoutes(app, ctx)
    registerVerifyRoutes(app, ctx)
    registerForgotPasswordRoutes(app, ctx)
    registerInvitationRoutes(app, ctx)
    registerOidcRoutes(app, ctx)
    await app.register(createUnsubscribeRoutes(ctx))
    registerDeletedRoute(app)
    await app.register(createSignedInPages(ctx, collectMetrics))
  }
}

/** Creates the plugin for the pages of signed-in users. */
function createSignedInPages(ctx: HttpContext, collectMetrics: CollectMetrics) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    guardConsole(app, ctx)
    registerSignOutRoute(app, ctx)
    registerThemeRoute(app)
    registerSearchRoute(app, ctx)
    registerOverviewRoutes(app, ctx)
    registerAnalyticsRoutes(app, ctx)
    registerRobotRoutes(app, ctx)
    registerShareRoutes(app)
    registerReportRoutes(app, ctx)
    const openExport = createExports(ctx)
    registerLinkRoutes(app, ctx, openExport)
    registerTrashRoutes(app, ctx)
    registerLinkPageRoutes(app, ctx)
    registerLiveRoute(app, ctx)
    registerHistoryRoutes(app)
    await app.register(createLinkEditorRoutes(ctx))
    registerImportRoutes(app, ctx)
    registerKeyRoutes(app, ctx)
    registerMemberRoutes(app, ctx)
    registerSwitchRoutes(app, ctx)
    registerSettingsRoutes(app, ctx)
    registerConnectionRoutes(app, ctx)
    registerWebhookRoutes(app, ctx)
    registerCampaignRoutes(app, ctx)
    registerChannelRoutes(app, ctx)
    await app.register(createBioRoutes(ctx))
    registerOverlayRoutes(app, ctx)
    registerSplashRoutes(app, ctx)
    await app.register(createDomainRoutes(ctx))
    for (const resource of PLAIN_RESOURCES) registerResourcePages(app, ctx, resource)
    await app.register(createCodeRoutes(ctx))
    registerAccountRoutes(app, ctx)
    registerSecondFactorRoutes(app, ctx)
    registerExportRoutes(app, ctx, openExport)
    await app.register(createOperatorPages(ctx, collectMetrics), { prefix: '/operator' })
    app.route({
      ...pageFor('viewer'),
      config: { role: 'viewer', unknown: true },
      url: '/*',
      handler: () => {
        throw new AppError('not_found')
      },
    })
  }
}

/**
 * Sends the page of an error, inside the console if the user is signed in. Its text includes the label
 * of the invalid field.
 */
function sendErrorPage(
  ctx: HttpContext,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toCountedError(ctx, thrown, request)
  const { code, status } = error
  const options = { status, headers: createErrorHeaders(error) }
  // Errors while a body is read happen outside of the request's context, so the language is set again.
  return runWithLocale(request.locale, () => {
    const language = getLanguage()
    if (!request.session) {
      const message = describeLabeledError(error)
      const render = (nonce: string) => errorPage({ nonce, language, code, status, message })
      return sendPage(reply, render, options)
    }
    const title = getErrorTitle(error, language)
    const message = code === 'not_found' ? t('shell.notFound') : describeLabeledError(error)
    const body = html`<section class="panel blank"><h1>${title}</h1>
<p>${message}</p>
<p><a class="button" href="/console/links">${t('shell.sections.links')}</a></p></section>`
    return sendConsolePage(
      reply,
      (frame) => renderConsolePage(frame, { title, section: '/console/search', body }),
      options,
    )
  })
}
