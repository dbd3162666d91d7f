import { html, type SafeHtml } from '@remix-run/html-template'
import {
  APP_LINK_NAMES,
  APP_LINKS,
  type AppLinkName,
  type AppLinks,
} from '../../../domains/app-links.ts'
import type { Brand } from '../../../domains/brand.ts'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { csrfField } from '../../../pages/field.ts'
import { safeHref } from '../../../pages/safe-url.ts'
import { copiedShortUrl, hostText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import type { FieldError } from '../shell/field-error.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { renderDomainState } from './state.ts'

/** The accent color of pages without a brand. */
const DEFAULT_ACCENT = '#0b6b5a'

export type DomainPage = {
  /** The invalid field of the brand's form, and its error. */
  brandError?: FieldError | undefined
  domain: BrandedDomain & AppLinks
  /** The DNS record that points the domain to this service. */
  record: { type: string; value: string }
  brand: Brand
  now: Date
}

/** Renders a branded domain: its DNS record and state, redirects, app links and brand. */
export function renderDomainPage(frame: Frame, page: DomainPage): string {
  const { domain, record } = page
  const section = '/console/domains'
  const [hostname] = domain.host.split(':')
  return renderConsolePage(frame, {
    title: hostText(domain.host),
    section,
    body: html`<p class="eyebrow"><a href="${section}">${t('domain.words.many')}</a></p>
<div class="head"><h1 class="address">${copiedShortUrl(domain.origin)}</h1><p class="actions"><a class="button" href="${section}/${domain.id}/edit">${t('domain.edit')}</a> <a class="button quiet" href="${section}/${domain.id}/delete">${t('domain.delete')}</a></p></div>
<section class="panel" aria-labelledby="dns">
<h2 id="dns">${t('domain.dns.title')}</h2>
<table class="cards">
<thead><tr><th scope="col">${t('domain.dns.type')}</th><th scope="col">${t('domain.dns.name')}</th><th scope="col">${t('domain.dns.value')}</th></tr></thead>
<tbody><tr><th scope="row">${record.type}</th><td data-label="${t('domain.dns.name')}"><code>${hostname}</code></td><td data-label="${t('domain.dns.value')}"><code>${record.value}</code></td></tr></tbody>
</table>
${record.type === 'CNAME' ? html`<p class="small soft">${t('domain.dns.noCname', { value: record.value })}</p>` : null}
<p>${renderDomainState(domain, frame.timeZone, page.now)}</p>
${renderAdvice(domain)}
<form method="post" action="${section}/${domain.id}/check">${csrfField(frame.csrf)}<button class="button quiet">${t('domain.dns.check')}</button></form>
</section>
<section class="panel" aria-labelledby="visitors">
<h2 id="visitors">${t('domain.visitors.title')}</h2>
<dl class="facts">
<dt>${t('domain.visitors.root')}</dt><dd>${renderRedirect(domain.redirectRoot, t('domain.visitors.defaultNotFound'))}</dd>
<dt>${t('domain.visitors.unknown')}</dt><dd>${renderRedirect(domain.redirect404, t('domain.visitors.defaultNotFound'))}</dd>
<dt>${t('domain.visitors.expired')}</dt><dd>${renderRedirect(domain.expiredUrl, t('domain.visitors.defaultExpired'))}</dd>
</dl>
</section>
<section class="panel" aria-labelledby="apps">
<h2 id="apps">${t('domain.appLinksTitle')}</h2>
<dl class="facts">${APP_LINK_NAMES.map((name) => html`<dt>${t(`domain.appLinks.${name}.label`)}</dt><dd>${renderAppLink(domain, name)}</dd>`)}</dl>
</section>
${renderBrandPanel(frame, `${section}/${domain.id}/brand`, page)}`,
  })
}

/** Renders a link to an app link file, if the domain has one. */
function renderAppLink({ origin, ...files }: DomainPage['domain'], name: AppLinkName): SafeHtml {
  if (files[name] === null) return html`${t('domain.noAppLink')}`
  const url = `${origin}${APP_LINKS[name].path}`
  return html`<a class="address" href="${safeHref(url)}" rel="noreferrer" target="_blank">${url}</a>`
}

/** Renders the form for the brand of the domain's visitor pages. */
function renderBrandPanel(
  { csrf }: Frame,
  action: string,
  { brand, brandError }: DomainPage,
): SafeHtml {
  const { accent, logo, footer } = brand
  const renderError = (field: string) =>
    brandError?.field === field
      ? html`<p class="error" id="${field}-error" role="alert">${brandError.text}</p>`
      : null
  return html`<section class="panel" id="brand" aria-labelledby="brand-title">
<h2 id="brand-title">${t('domain.brand.title')}</h2>
<p class="small soft">${t('domain.brand.lead')}</p>
<form method="post" action="${action}" enctype="multipart/form-data">${csrfField(csrf)}
${logo === null ? null : html`<p><img src="data:image/png;base64,${logo}" alt="${t('domain.brand.currentLogo')}" class="domain-logo"></p>`}
<div class="field"><label for="logo">${t('domain.brand.logo')}</label>
<input type="file" id="logo" name="logo" accept="image/png,image/jpeg" aria-describedby="logo-hint">
<p class="hint" id="logo-hint">${t('domain.brand.logoHint')}</p>${renderError('logo')}</div>
${logo === null ? null : html`<p class="field"><label class="check"><input type="checkbox" name="removeLogo" value="on"> ${t('domain.brand.removeLogo')}</label></p>`}
<p class="field"><label class="check"><input type="checkbox" name="hasAccent" value="on"${accent === null ? null : html` checked`}> ${t('domain.brand.hasAccent')}</label></p>
<div class="field"><label for="accent">${t('domain.brand.accent')}</label>
<input type="color" id="accent" name="accent" value="${accent ?? DEFAULT_ACCENT}">${renderError('accent')}</div>
<p class="field"><label class="check"><input type="checkbox" name="footer" value="on"${footer ? html` checked` : null}> ${t('domain.brand.footer')}</label></p>
<p class="hint">${t('domain.brand.footerHint')}</p>
<div class="actions"><button class="button">${t('domain.brand.save')}</button></div>
</form></section>`
}

/** Returns advice for the last known state of a domain. It is empty before the first check. */
export function describeAdvice({ dnsState, host }: BrandedDomain): string {
  if (!dnsState) return ''
  return dnsState === 'here'
    ? `${t('domain.dns.ready')} ${t('domain.dns.here', { host })}`
    : t(`domain.dns.${dnsState}`, { host })
}

function renderAdvice(domain: BrandedDomain): SafeHtml {
  const text = describeAdvice(domain)
  const className = domain.dnsState === 'here' ? 'inset' : 'notice'
  return html`<p class="${className}" role="status" data-advice${text ? null : html` hidden`}>${text}</p>`
}

/** Renders the URL of a redirect, or the text for a domain without it. */
function renderRedirect(url: string | null, defaultText: string): SafeHtml {
  return url === null ? html`${defaultText}` : html`<span class="address">${url}</span>`
}
