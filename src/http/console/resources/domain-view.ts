import { html, type SafeHtml } from '@remix-run/html-template'
import {
  APP_LINK_NAMES,
  APP_LINKS,
  type AppLinkName,
  type AppLinks,
} from '../../../domains/app-links.ts'
import type { Brand } from '../../../domains/brand.ts'
import { csrfField } from '../../../pages/field.ts'
import { safeHref } from '../../../pages/safe-url.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { domainMessages } from './domain-messages.ts'

const messages = domainMessages.brand
/** The accent of pages without a brand. */
const DEFAULT_ACCENT = '#0b6b5a'

export type DomainState = {
  /** The field of the brand that is wrong, and why. */
  brandError?: { field: string; text: string } | undefined
  domain: { id: number; origin: string; host: string } & AppLinks
  redirectRoot: string | null
  redirect404: string | null
  expiredUrl: string | null
  /** The DNS record that points the domain to this service. */
  record: { type: string; value: string }
  brand: Brand
  /** The result of the check, or undefined without one. */
  pointsHere?: boolean | undefined
}

/** Renders a branded domain: its DNS record, the check, and its redirects. */
export function domainPage(frame: Frame, page: DomainState): string {
  const { domain, record } = page
  const section = '/console/domains'
  const [name] = domain.host.split(':')
  return consolePage(frame, {
    title: domain.host,
    section,
    files: ['domain.css'],
    body: html`<p class="eyebrow"><a href="${section}">Domains</a></p>
<div class="head"><h1 class="address">${domain.origin}</h1><p class="actions"><a class="button" href="${section}/${domain.id}/edit">Edit</a> <a class="button quiet" href="${section}/${domain.id}/delete">Delete</a></p></div>
<section class="panel" aria-labelledby="dns">
<h2 id="dns">DNS</h2>
<table class="cards">
<thead><tr><th scope="col">Type</th><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
<tbody><tr><th scope="row">${record.type}</th><td data-label="Name"><code>${name}</code></td><td data-label="Value"><code>${record.value}</code></td></tr></tbody>
</table>
${
  record.type === 'CNAME'
    ? html`<p class="small soft">Root domains can’t use CNAME. Add A/AAAA records for <code>${record.value}</code>.</p>`
    : null
}
${state(page)}
<form method="post" action="${section}/${domain.id}/check">${csrfField(frame.csrf)}<button class="button quiet">Check now</button></form>
</section>
<section class="panel" aria-labelledby="visitors">
<h2 id="visitors">Visitors</h2>
<dl class="facts">
<dt>Root domain</dt><dd>${leadsTo(page.redirectRoot)}</dd>
<dt>Unknown links</dt><dd>${leadsTo(page.redirect404)}</dd>
<dt>Expired links</dt><dd>${leadsTo(page.expiredUrl, 'expired')}</dd>
</dl>
</section>
<section class="panel" aria-labelledby="apps">
<h2 id="apps">${domainMessages.appLinksTitle}</h2>
<dl class="facts">${APP_LINK_NAMES.map((name) => html`<dt>${domainMessages.appLinks[name].label}</dt><dd>${fileOf(domain, name)}</dd>`)}</dl>
</section>
${brandPanel(frame, `${section}/${domain.id}/brand`, page)}`,
  })
}

function fileOf({ origin, ...files }: DomainState['domain'], name: AppLinkName): SafeHtml {
  if (files[name] === null) return html`${domainMessages.noAppLink}`
  const url = `${origin}${APP_LINKS[name].path}`
  return html`<a class="address" href="${safeHref(url)}" rel="noreferrer" target="_blank">${url}</a>`
}

/** The form for the look of visitor pages. */
function brandPanel({ csrf }: Frame, action: string, { brand, brandError }: DomainState): SafeHtml {
  const { accent, logo, footer } = brand
  const error = (field: string) =>
    brandError?.field === field
      ? html`<p class="error" id="${field}-error" role="alert">${brandError.text}</p>`
      : null
  return html`<section class="panel" id="brand" aria-labelledby="brand-title">
<h2 id="brand-title">${messages.title}</h2>
<p class="small soft">${messages.lead}</p>
<form method="post" action="${action}" enctype="multipart/form-data">${csrfField(csrf)}
${logo === null ? null : html`<p><img src="data:image/png;base64,${logo}" alt="${messages.currentLogo}" class="domain-logo"></p>`}
<div class="field"><label for="logo">${messages.logo}</label>
<input type="file" id="logo" name="logo" accept="image/png,image/jpeg" aria-describedby="logo-hint">
<p class="hint" id="logo-hint">${messages.logoHint}</p>${error('logo')}</div>
${logo === null ? null : html`<p class="field"><label class="check"><input type="checkbox" name="removeLogo" value="on"> ${messages.removeLogo}</label></p>`}
<p class="field"><label class="check"><input type="checkbox" name="hasAccent" value="on"${accent === null ? null : html` checked`}> ${messages.hasAccent}</label></p>
<div class="field"><label for="accent">${messages.accent}</label>
<input type="color" id="accent" name="accent" value="${accent ?? DEFAULT_ACCENT}">${error('accent')}</div>
<p class="field"><label class="check"><input type="checkbox" name="footer" value="on"${footer ? html` checked` : null}> ${messages.footer}</label></p>
<p class="hint">${messages.footerHint}</p>
<div class="actions"><button class="button">${messages.save}</button></div>
</form></section>`
}

function state({ domain, pointsHere }: DomainState): SafeHtml | null {
  if (pointsHere === undefined) return null
  return pointsHere
    ? html`<p class="inset" role="status"><strong>DNS is set up.</strong> ${domain.host} points here.</p>`
    : html`<p class="notice" role="alert">DNS for ${domain.host} isn’t pointing here yet. Changes can take up to an hour.</p>`
}

function leadsTo(target: string | null, page = 'not found'): SafeHtml {
  return target === null
    ? html`Default “${page}” page`
    : html`<span class="address">${target}</span>`
}
