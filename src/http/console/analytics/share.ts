import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { getBrand } from '../../../domains/brand.service.ts'
import { AppError } from '../../../errors.ts'
import { withBrand } from '../../../pages/branding.ts'
import { defaultFooter } from '../../../pages/layout.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { scopeOf } from '../../../scope.ts'
import {
  openPage,
  revokePage,
  sharePage,
  toSharedPath,
} from '../../../shared-statistics/shared-statistics.service.ts'
import { t } from '../../../texts.ts'
import { sendNotFound } from '../../html/not-found.ts'
import { pageRoute } from '../../html/page-route.ts'
import { sendPage } from '../../html/send-page.ts'
import { parseConsolePath } from '../kit/query.ts'
import { type ConsoleRequest, defineSubject, idOf } from '../kit/subject.ts'
import { renderDocument } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { renderAnalyticsSection } from './section.ts'
import { readPageState } from './state.ts'
import { type Analytics, chooseStatus, readPageStatistics } from './statistics.ts'
import { readSubject } from './subject.ts'

type SharedRequest = FastifyRequest<{
  Params: { token: string }
  Querystring: Record<string, unknown>
}>

/** The parameters of a public page. Filters would reveal much more than was shared. */
const PARAMETERS = ['period', 'from', 'to', 'interval', 'compare', 'metric', 'tab']

/** Registers the forms that create and revoke public pages with statistics. */
export function registerShareRoutes(app: FastifyInstance): void {
  for (const kind of ['link', 'campaign'] as const) {
    const { action } = defineSubject(app, `/console/${kind}s`)

    action(`/${kind}s/:id/share`, 'editor', async (request) => {
      const { scope, session } = request
      await scope.storage.require(scope)
      await sharePage(scope, { kind, id: idOf(request) }, session.user.timeZone)
      return { to: findReturnPath(kind, request), toast: 'pageShared' }
    })

    action(`/${kind}s/:id/unshare`, 'editor', async (request) => {
      const id = idOf(request)
      await readSubject(request.scope, kind, id)
      await revokePage(request.scope, { kind, id })
      return { to: findReturnPath(kind, request), toast: 'pageRevoked' }
    })
  }
}

/** Returns the path of the statistics, in the same state. */
function findReturnPath(kind: 'link' | 'campaign', request: ConsoleRequest): string {
  const path = `/console/${kind}s/${idOf(request)}`
  const back = parseConsolePath(readFields(request.body, ['back']).back)
  return back?.split('?')[0] === path ? back : path
}

/** Registers the public pages with the statistics of a link or campaign. */
export function registerSharedStatisticsRoute(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageRoute,
    url: '/shared/:token',
    handler: (request: SharedRequest, reply) =>
      sendStatistics(request, reply).catch((error: unknown) => {
        const isUnknown = error instanceof AppError && error.code === 'not_found'
        if (isUnknown) return sendNotFound(ctx, reply, { kind: 'service' })
        throw error
      }),
  })

  async function sendStatistics({ params, query, ip }: SharedRequest, reply: FastifyReply) {
    const { accountId, subject, timeZone } = await openPage(ctx, ctx.db, params.token, ip)
    const scope = scopeOf(ctx, accountId)
    const found = await readSubject(scope, subject.kind, subject.id)
    const domainId = found.link?.domainId ?? null
    const brand = domainId === null ? undefined : await getBrand(scope, domainId)
    const shared = { ...found, path: toSharedPath(params.token) }
    const supported = Object.entries(query).filter(([name]) => PARAMETERS.includes(name))
    const reader = { zone: timeZone, isShared: true }
    const pageState = await readPageState(ctx, shared, Object.fromEntries(supported), reader)
    const outcome = await readPageStatistics(ctx, pageState)
    const analytics = { pageState, ...outcome, scopes: [], isLive: false }
    const status = chooseStatus(analytics)
    const render = (nonce: string) => {
      const document = renderSharedPage(nonce, analytics)
      return brand ? withBrand(document, brand) : document
    }
    return sendPage(reply, render, { status })
  }
}

/**
 * Renders the public statistics of a link or campaign, without other links and filters. It has the
 * parts that `withBrand` replaces.
 */
function renderSharedPage(nonce: string, analytics: Analytics): string {
  const { name, link } = analytics.pageState.subject
  const content = html`<body class="console shared">
<style nonce="${nonce}"></style>
<main>
<h1 dir="auto"><bdi>${name}</bdi></h1>
${link?.metaTitle ? html`<p class="soft"><bdi>${shortLinkText(link.shortUrl)}</bdi></p>` : null}
${renderAnalyticsSection(null, analytics)}
${html.raw`${defaultFooter}`}
</main>
</body>`
  return renderDocument({ title: t('share.title', { name }), nonce, content })
}
