import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { APP_LINK_NAMES, APP_LINKS, type AppLinks } from '../../../domains/app-links.ts'
import { getBrand, setBrand } from '../../../domains/brand.service.ts'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { createDnsRecord, getCheckedDomain, isStale } from '../../../domains/dns-state.ts'
import { getDomainDetails } from '../../../domains/domain.service.ts'
import { AppError } from '../../../errors.ts'
import { csrfField } from '../../../pages/field.ts'
import { safeHref } from '../../../pages/safe-url.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { getSiteName, t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { defineForm } from '../kit/form.ts'
import { renderDecisionForm, renderFacts, renderPanel } from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { renderHead } from '../resources/list.ts'
import { formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'

const PATH = '/console/domains'
/** The accent color of pages without a brand. */
const DEFAULT_ACCENT = '#0b6b5a'

const brandForm = defineForm({
  logo: {
    label: 'domain.brand.logo',
    hint: 'domain.brand.logoHint',
    type: 'file',
    accept: 'image/png,image/jpeg',
  },
  removeLogo: { label: 'domain.brand.removeLogo', type: 'check' },
  hasAccent: { label: 'domain.brand.hasAccent', type: 'check' },
  accent: { label: 'domain.brand.accent', type: 'color' },
  footer: {
    label: () => t('domain.brand.footer', { name: getSiteName() }),
    type: 'check',
    hint: 'domain.brand.footerHint',
  },
})

type BrandState = Parameters<typeof brandForm.render>[1]

/**
 * Registers the page of a domain. It shows the last known DNS state, so that it need not wait for a
 * check. A script or the user requests the check.
 */
export function registerDomainPage(app: FastifyInstance, ctx: HttpContext): void {
  const { page, submit, action } = defineSubject(app, PATH)

  page('/domains/:id', 'viewer', (request) => renderDomain(request))

  // Requested by `domain-states.js` on pages with a stale state.
  page('/domains/:id/state', 'viewer', async (request, reply) => {
    const { user } = request.session
    const domain = await getCheckedDomain(request.scope, idOf(request))
    const state = describeState(ctx, domain, user.timeZone)
    reply.header('cache-control', 'private, no-store')
    reply.send({ ...state, advice: describeAdvice(ctx, domain) })
    return undefined
  })

  action('/domains/:id/check', 'editor', async (request) => {
    try {
      await getCheckedDomain(request.scope, idOf(request), { force: true })
    } catch (error) {
      // If too many checks are running, the page shows the last known state.
      if (!(error instanceof AppError) || error.code !== 'busy') throw error
    }
    return renderDomain(request)
  })

  submit(
    '/domains/:id/brand',
    'editor',
    brandForm,
    async (request, { hasAccent, accent, footer, removeLogo }) => {
      const id = idOf(request)
      const { logo } = (request.body ?? {}) as { logo?: unknown }
      const file = Buffer.isBuffer(logo) && logo.length > 0 ? logo : undefined
      // Without `logo`, the stored one is kept.
      await setBrand(request.scope, id, {
        accent: hasAccent ? accent : null,
        footer: footer !== '',
        ...(file ? { logo: file } : removeLogo ? { logo: null } : {}),
      })
      return { to: `${PATH}/${id}`, toast: 'saved' }
    },
    renderDomain,
  )

  async function renderDomain(request: ConsoleRequest, brandState?: BrandState): Promise<Page> {
    const domain = await getDomainDetails(request.scope, idOf(request))
    const { accent, logo, footer } = await getBrand(request.scope, domain.id)
    const stored = { hasAccent: accent !== null, accent: accent ?? DEFAULT_ACCENT, footer }
    const { id, host } = domain
    const title = html`<h1><bdi>${hostText(host)}</bdi></h1>`
    const head = { section: PATH, id, many: t('domain.words.many'), title } as const
    const record = createDnsRecord(new URL(ctx.config.baseUrl))
    return {
      title: hostText(host),
      body: (frame) => html`${renderHead(frame, head)}
${renderPanel('dns', t('domain.dns.title'), [renderDnsTable(host, record), renderDnsState(frame, ctx, domain)])}
${renderPanel('visitors', t('domain.visitors.title'), renderRedirects(domain))}
${renderPanel('apps', t('domain.appLinksTitle'), renderAppLinks(domain))}
${renderBrandForm(frame, id, logo, brandState ?? { values: brandForm.fill(stored) })}`,
    }
  }
}

function renderDnsTable(host: string, record: ReturnType<typeof createDnsRecord>): SafeHtml {
  const { type, value } = record
  const [name] = host.split(':')
  const table = renderTable(
    [record],
    [
      { head: t('domain.dns.type'), cell: () => type },
      { head: t('domain.dns.name'), cell: () => html`<code>${name}</code>` },
      { head: t('domain.dns.value'), cell: () => html`<code>${value}</code>` },
    ],
  )
  return html`${table}
${type === 'CNAME' ? html`<p class="small soft">${t('domain.dns.noCname', { value })}</p>` : null}`
}

/** Renders the last known state with advice, and a button that checks it again. */
function renderDnsState(frame: Frame, ctx: HttpContext, domain: BrandedDomain): SafeHtml {
  const advice = describeAdvice(ctx, domain)
  if (!ctx.config.domainCheck) return html`<p>${renderState(ctx, domain, frame.timeZone)}</p>`
  return html`<p>${renderState(ctx, domain, frame.timeZone)}</p>
<p class="${domain.dnsState === 'here' ? 'inset' : 'notice'}" role="status" data-advice${advice ? null : html` hidden`}>${advice}</p>
${renderDecisionForm(frame, `${PATH}/${domain.id}/check`, [html`<button class="button quiet">${t('domain.dns.check')}</button>`])}`
}

/** Renders the last known state of a domain. A script checks a domain with a stale state. */
export function renderState(ctx: HttpContext, domain: BrandedDomain, timeZone: string): SafeHtml {
  const { state, text, time } = describeState(ctx, domain, timeZone)
  const isDue = ctx.config.domainCheck && isStale(domain, ctx.clock())
  const check = html` data-check="${PATH}/${domain.id}/state"${withScript('domain-states')} data-text-checking="${t('domain.states.checking')}"`
  return html`<span class="dns-state" data-state="${state}"${isDue ? check : null}><span class="dns-text">${text}</span> <span class="dns-time small soft">${time}</span></span>`
}

/** Returns a domain's last known state, its text, and the text with the time of the check. */
function describeState(
  { config }: HttpContext,
  { dnsState, dnsCheckedAt }: BrandedDomain,
  timeZone: string,
) {
  // Without checks, a domain counts as pointing here.
  if (!config.domainCheck) return { state: 'unknown', text: t('domain.states.off'), time: '' }
  const state = dnsState ?? 'unknown'
  const time = dnsCheckedAt
    ? t('domain.checkedAt', { when: formatMoment(dnsCheckedAt, timeZone) })
    : ''
  return { state, text: t(`domain.states.${state}`), time }
}

/** Returns advice for the last known state of a domain. It is empty before the first check. */
function describeAdvice({ config }: HttpContext, { dnsState, host }: BrandedDomain): string {
  if (!dnsState || !config.domainCheck) return ''
  const text = t(`domain.dns.${dnsState}`, { host })
  return dnsState === 'here' ? `${t('domain.dns.ready')} ${text}` : text
}

function renderRedirects({ redirectRoot, redirect404, expiredUrl }: BrandedDomain): SafeHtml {
  const render = (url: string | null, text: string) =>
    url === null ? text : html`<span class="address">${url}</span>`
  const defaultPage = t('domain.visitors.defaultNotFound')
  return renderFacts([
    [t('domain.visitors.root'), render(redirectRoot, defaultPage)],
    [t('domain.visitors.unknown'), render(redirect404, defaultPage)],
    [t('domain.visitors.expired'), render(expiredUrl, t('domain.visitors.defaultExpired'))],
  ])
}

/** Renders links to the app link files that the domain has. */
function renderAppLinks({ origin, ...files }: BrandedDomain & AppLinks): SafeHtml {
  return renderFacts(
    APP_LINK_NAMES.map((name) => {
      const url = `${origin}${APP_LINKS[name].path}`
      const link = html`<a class="address" href="${safeHref(url)}" rel="noreferrer" target="_blank">${url}</a>`
      return [t(`domain.appLinks.${name}.label`), files[name] ? link : t('domain.noAppLink')]
    }),
  )
}

/** Renders the form for the brand of the domain's visitor pages. `logo` is the stored one. */
function renderBrandForm(
  frame: Frame,
  id: number,
  logo: string | null,
  state: BrandState,
): SafeHtml | null {
  const action = `${PATH}/${id}/brand`
  if (!frame.may('POST', action)) return null
  const names = [
    'logo',
    ...(logo ? (['removeLogo'] as const) : []),
    'hasAccent',
    'accent',
    'footer',
  ] as const
  const image = html`<p><img src="data:image/png;base64,${logo}" alt="${t('domain.brand.currentLogo')}" class="domain-logo"></p>`
  return renderPanel(
    'brand',
    t('domain.brand.title'),
    html`<p class="small soft">${t('domain.brand.lead')}</p>
${brandForm.renderError(state)}
<form method="post" action="${action}" enctype="multipart/form-data">${csrfField(frame.csrf)}
${logo && image}
${names.map((name) => brandForm.renderField(frame, name, state))}
<div class="actions"><button class="button">${t('domain.brand.save')}</button></div>
</form>`,
  )
}
