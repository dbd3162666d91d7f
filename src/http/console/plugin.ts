import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { Snapshot } from '../../process/metrics-messages.ts'
import { sendNotFound } from '../html/not-found.ts'
import { requireServiceHost } from '../html/service-host.ts'
import { followLanguage } from '../localization/language.ts'
import { accountRoutes, deletedRoute } from './account/routes.ts'
import { analyticsRoutes } from './analytics/routes.ts'
import { shareRoutes } from './analytics/share/routes.ts'
import { assetRoute } from './assets.ts'
import { bioRoutes } from './bios/routes.ts'
import { createCampaignResource } from './campaigns/resource.ts'
import { campaignPageRoutes } from './campaigns/routes.ts'
import { createChannelResource } from './channels/resource.ts'
import { channelPageRoutes } from './channels/routes.ts'
import { codeRoutes } from './codes/routes.ts'
import { domainRoutes } from './domains/routes.ts'
import { createExportLimiter } from './export/export-limiter.ts'
import { exportRoutes } from './export/routes.ts'
import { checkSameOrigin, guardConsole } from './guard.ts'
import { importRoutes } from './import/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { linkDownloadRoutes } from './link/downloads.ts'
import { historyRoutes } from './link/history/routes.ts'
import { linkPageRoute } from './link/routes.ts'
import { linkEditorRoutes } from './link-editor/routes.ts'
import { linkChangeRoutes } from './links/change-routes.ts'
import { linkListRoute } from './links/routes.ts'
import { liveRoute } from './live/routes.ts'
import { oidcRoutes } from './oidc/routes.ts'
import { operatorPages } from './operator/plugin.ts'
import { overlayAnswerRoutes } from './overlays/answer-routes.ts'
import { createOverlayResource } from './overlays/resource.ts'
import { overviewRoutes } from './overview/routes.ts'
import { switchRoutes } from './people/accounts/routes.ts'
import { forgotPasswordRoutes } from './people/forgot-password/routes.ts'
import { invitationRoutes } from './people/invitation/routes.ts'
import { memberRoutes } from './people/members/routes.ts'
import { settingsRoutes } from './people/settings/routes.ts'
import { unsubscribeRoutes } from './people/unsubscribe/routes.ts'
import { createPixelResource } from './pixels/resource.ts'
import { resourceRoutes } from './resources/routes.ts'
import { searchRoute } from './search/routes.ts'
import { secondFactorRoutes } from './second-factor/routes.ts'
import { verifyRoutes } from './second-factor/verify-routes.ts'
import { sendConsoleErrorPage } from './shell/error-page.ts'
import { themeRoute } from './shell/theme-route.ts'
import { resetPasswordRoutes } from './sign-in/reset-password-routes.ts'
import { signInRoutes, signOutRoute } from './sign-in/routes.ts'
import { createSplashResource } from './splashes/resource.ts'
import { trashRoutes } from './trash/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

type CollectMetrics = () => Promise<Snapshot[]>

/** Serves the console, only on the service's own host. */
export function createConsolePages(ctx: HttpContext, collectMetrics: CollectMetrics) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.setErrorHandler((error, request, reply) => sendConsoleErrorPage(ctx, error, request, reply))
    followLanguage(app)
    app.addHook('onRequest', requireServiceHost(ctx))
    app.addHook('onRequest', async (request) => checkSameOrigin(request))
    assetRoute(app, (reply) => sendNotFound(ctx, reply, { kind: 'service' }))
    signInRoutes(app, ctx)
    verifyRoutes(app, ctx)
    resetPasswordRoutes(app, ctx)
    forgotPasswordRoutes(app, ctx)
    invitationRoutes(app, ctx)
    oidcRoutes(app, ctx)
    await app.register(unsubscribeRoutes(ctx))
    deletedRoute(app)
    await app.register(signedInPages(ctx, collectMetrics))
  }
}

/** Serves the pages for signed-in users. */
function signedInPages(ctx: HttpContext, collectMetrics: CollectMetrics) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    guardConsole(app, ctx)
    signOutRoute(app, ctx)
    themeRoute(app)
    searchRoute(app, ctx)
    overviewRoutes(app, ctx)
    analyticsRoutes(app, ctx)
    shareRoutes(app, ctx)
    const openExport = createExportLimiter()
    linkListRoute(app, ctx)
    linkChangeRoutes(app, ctx, openExport)
    trashRoutes(app, ctx)
    linkPageRoute(app, ctx)
    liveRoute(app, ctx)
    historyRoutes(app, ctx)
    linkDownloadRoutes(app, ctx)
    await app.register(linkEditorRoutes(ctx))
    importRoutes(app, ctx, openExport)
    keyRoutes(app, ctx)
    memberRoutes(app, ctx)
    switchRoutes(app, ctx)
    settingsRoutes(app, ctx)
    webhookRoutes(app, ctx)
    resourceRoutes(app, createCampaignResource(ctx))
    campaignPageRoutes(app, ctx)
    resourceRoutes(app, createChannelResource(ctx))
    channelPageRoutes(app, ctx)
    await app.register(bioRoutes(ctx))
    resourceRoutes(app, createOverlayResource(ctx))
    resourceRoutes(app, createSplashResource(ctx))
    await app.register(domainRoutes(ctx))
    overlayAnswerRoutes(app, ctx)
    resourceRoutes(app, createPixelResource(ctx))
    await app.register(codeRoutes(ctx))
    accountRoutes(app, ctx)
    secondFactorRoutes(app, ctx)
    exportRoutes(app, ctx, openExport)
    await app.register(operatorPages(ctx, collectMetrics), { prefix: '/operator' })
  }
}
