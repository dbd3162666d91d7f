import type { FastifyInstance } from 'fastify'
import type { Snapshot } from '../../process/metrics-messages.ts'
import type { Services } from '../../services.ts'
import { sendConsoleErrorPage } from '../html/error-page.ts'
import { sendNotFound } from '../html/not-found.ts'
import { ownHostOnly } from '../html/own-host.ts'
import { accountRoutes, deletedRoute } from './account.ts'
import { exportRoutes } from './account-export.ts'
import { assetRoute } from './assets.ts'
import { codeRoutes } from './codes/routes.ts'
import { checkSameOrigin, guardConsole } from './guard.ts'
import { importRoutes } from './import.ts'
import { keyRoutes } from './keys.ts'
import { linkDownloadRoutes } from './link/downloads.ts'
import { linkPageRoute } from './link/link-page.ts'
import { linkEditorRoutes } from './link-editor.ts'
import { linkChangeRoutes } from './links/change.ts'
import { linkListRoute } from './links/list.ts'
import { createOneExport } from './one-export.ts'
import { operatorPages } from './operator/plugin.ts'
import { overviewRoutes } from './overview.ts'
import { forgotPasswordRoutes } from './people/forgot-password/routes.ts'
import { resetPasswordRoutes } from './reset-password.ts'
import { searchRoute } from './search/routes.ts'
import { themeRoute } from './shell/theme-route.ts'
import { signInRoutes, signOutRoute } from './sign-in.ts'
import { bioThing } from './things/bios.ts'
import { campaignPageRoutes } from './things/campaign-page.ts'
import { campaignThing } from './things/campaigns.ts'
import { channelPageRoutes } from './things/channel-page.ts'
import { channelThing } from './things/channels.ts'
import { domainCheckRoutes } from './things/domain-check.ts'
import { domainThing } from './things/domains.ts'
import { overlayAnswerRoutes } from './things/overlay-answers.ts'
import { overlayThing } from './things/overlays.ts'
import { pixelThing } from './things/pixels.ts'
import { thingRoutes } from './things/routes.ts'
import { splashThing } from './things/splashes.ts'
import { webhookRoutes } from './webhooks.ts'

type CollectMetrics = () => Promise<Snapshot[]>

/** The console: a person's pages, on the service's own host alone. */
export function consolePages(services: Services, collectMetrics: CollectMetrics) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    app.setErrorHandler((error, request, reply) =>
      sendConsoleErrorPage(services, error, request, reply),
    )
    app.addHook('onRequest', ownHostOnly(services))
    app.addHook('onRequest', async (request) => checkSameOrigin(request))
    assetRoute(app, (reply) => sendNotFound(services, reply, { kind: 'service' }))
    signInRoutes(app, services)
    resetPasswordRoutes(app, services)
    forgotPasswordRoutes(app, services)
    deletedRoute(app)
    await app.register(signedIn(services, collectMetrics))
  }
}

/** What is only for who is signed in. */
function signedIn(services: Services, collectMetrics: CollectMetrics) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    guardConsole(app, services)
    signOutRoute(app, services)
    themeRoute(app)
    searchRoute(app, services)
    overviewRoutes(app, services)
    const openExport = createOneExport()
    linkListRoute(app, services)
    linkChangeRoutes(app, services)
    linkPageRoute(app, services)
    linkDownloadRoutes(app, services)
    linkEditorRoutes(app, services)
    importRoutes(app, services, openExport)
    keyRoutes(app, services)
    webhookRoutes(app, services)
    thingRoutes(app, campaignThing(services))
    campaignPageRoutes(app, services)
    thingRoutes(app, channelThing(services))
    channelPageRoutes(app, services)
    thingRoutes(app, bioThing(services))
    thingRoutes(app, overlayThing(services))
    thingRoutes(app, splashThing(services))
    thingRoutes(app, domainThing(services))
    domainCheckRoutes(app, services)
    overlayAnswerRoutes(app, services)
    thingRoutes(app, pixelThing(services))
    await app.register(codeRoutes(services))
    accountRoutes(app, services)
    exportRoutes(app, services, openExport)
    await app.register(operatorPages(services, collectMetrics), { prefix: '/operator' })
  }
}
