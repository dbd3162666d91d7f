import { html, type SafeHtml } from '@remix-run/html-template'
import type { HttpContext } from '../../../context.ts'
import { addScheme } from '../../../destination-url.ts'
import { APP_LINK_NAMES, type AppLinkName, type AppLinks } from '../../../domains/app-links.ts'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { createDnsRecord } from '../../../domains/dns-record.ts'
import {
  addDomain,
  getDomainDetails,
  listDomains,
  updateDomain,
} from '../../../domains/domain.service.ts'
import { verifyDomain } from '../../../domains/domain-proof.ts'
import { deleteDomain } from '../../../links/domain-deletion.ts'
import { copiedShortUrl } from '../../../pages/short-link-text.ts'
import { t, tAll } from '../../../texts.ts'
import type { FormField } from '../resources/form-field.ts'
import type { Resource, Values } from '../resources/resource.ts'
import { renderDomainState } from './state.ts'

/** A domain. The list omits the app links. */
type Domain = BrandedDomain & Partial<AppLinks>

/** Defines domains as a kind of resource. */
export function createDomainResource(ctx: HttpContext): Resource<Domain> {
  const { config } = ctx
  const { type, value } = createDnsRecord(new URL(config.baseUrl))
  return {
    get words() {
      const about = t('domain.about', { record: t('domain.record', { type, value }) })
      return { section: '/console/domains', ...tAll('domain.words'), about } as const
    },
    get columns() {
      return [t('domain.columns.dns'), t('domain.columns.root'), t('domain.columns.unknown')]
    },
    nameOf: ({ origin }) => copiedShortUrl(origin),
    cellsOf: (domain, zone) => [
      { content: renderDomainState(domain, zone, ctx.clock()) },
      { content: renderRedirect(domain.redirectRoot) },
      { content: renderRedirect(domain.redirect404) },
    ],
    get fields() {
      const domain: FormField = {
        name: 'domain',
        label: t('domain.domain'),
        maxLength: 300,
        hint: t('domain.domainHint', { record: t('domain.record', { type, value }) }),
      }
      const redirects = createRedirectFields()
      return { create: [domain, ...redirects], edit: [...redirects, ...createAppLinkFields()] }
    },
    valuesOf: ({ redirectRoot, redirect404, expiredUrl, ...others }) => ({
      redirectroot: redirectRoot ?? '',
      redirect404: redirect404 ?? '',
      expiredUrl: expiredUrl ?? '',
      forwardQuery: others.forwardQuery ? 'on' : '',
      forwardPath: others.forwardPath ? 'on' : '',
      assetLinks: others.assetLinks ?? '',
      appSiteAssociation: others.appSiteAssociation ?? '',
    }),
    fieldNames: { redirectRoot: 'redirectroot' },
    hasDetailsPage: true,
    list: (accountId, page) => listDomains(ctx.db, accountId, page),
    get: (accountId, id) => getDomainDetails(ctx.db, accountId, id),
    async add(accountId, { domain = '', ...values }) {
      return addDomain(
        ctx,
        ctx.db,
        accountId,
        await verifyDomain(ctx, accountId, addScheme(domain)),
        toDomainInput(values),
      )
    },
    update: (accountId, id, values) =>
      updateDomain(ctx, ctx.db, accountId, id, {
        ...toDomainInput(values),
        ...readAppLinkFiles(values),
      }),
    remove: (accountId, id) => deleteDomain(ctx, ctx.db, accountId, id),
  }
}

function renderRedirect(url: string | null): SafeHtml {
  return url === null
    ? html`${t('domain.nothing')}`
    : html`<bdi class="address clamped">${url}</bdi>`
}

/** Returns the fields for the redirects and for the defaults of the domain's links. */
function createRedirectFields(): FormField[] {
  const url = { maxLength: 8192, optional: true }
  return [
    {
      name: 'redirectroot',
      label: t('domain.rootRedirect'),
      ...url,
      hint: t('domain.defaultNotFound'),
    },
    {
      name: 'redirect404',
      label: t('domain.unknownRedirect'),
      ...url,
      hint: t('domain.defaultNotFound'),
    },
    {
      name: 'expiredUrl',
      label: t('domain.expiredRedirect'),
      ...url,
      hint: t('domain.defaultExpired'),
    },
    { name: 'forwardQuery', label: t('domain.forwardQuery'), type: 'check' },
    { name: 'forwardPath', label: t('domain.forwardPath'), type: 'check' },
  ]
}

function createAppLinkFields(): FormField[] {
  const file = { type: 'multiline', maxLength: 65_536, optional: true } as const
  return APP_LINK_NAMES.map((name) => ({ name, ...tAll(`domain.appLinks.${name}`), ...file }))
}

/** Returns the submitted app link files. Browsers submit their line breaks as CRLF. */
function readAppLinkFiles(values: Values) {
  const readFile = (name: AppLinkName) => values[name]?.replaceAll('\r\n', '\n').trim() || null
  return { assetLinks: readFile('assetLinks'), appSiteAssociation: readFile('appSiteAssociation') }
}

function toDomainInput({
  redirectroot,
  redirect404,
  expiredUrl,
  forwardQuery,
  forwardPath,
}: Values) {
  return {
    redirectRoot: addScheme(redirectroot ?? '') || null,
    redirect404: addScheme(redirect404 ?? '') || null,
    expiredUrl: addScheme(expiredUrl ?? '') || null,
    forwardQuery: forwardQuery === 'on',
    forwardPath: forwardPath === 'on',
  }
}
