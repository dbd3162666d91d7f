import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import type { AppLinks } from '../../../domains/app-links.ts'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { createDnsRecord } from '../../../domains/dns-state.ts'
import {
  addDomain,
  getDomainDetails,
  listDomains,
  readDomainColumns,
  updateDomain,
} from '../../../domains/domain.service.ts'
import { parseOrigin, verifyDomain } from '../../../domains/domain-proof.ts'
import { AppError, checkAllAsync } from '../../../errors.ts'
import { deleteDomain } from '../../../links/domain-deletion.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import { t, tAll } from '../../../texts.ts'
import { addScheme } from '../../../urls/destination-url.ts'
import { parseForms } from '../../request/multipart.ts'
import { defineForm } from '../kit/form.ts'
import { registerResource } from '../resources/resource.ts'
import { registerDomainPage, renderState } from './domain.ts'

/** A domain. The list omits the app links. */
type Domain = BrandedDomain & Partial<AppLinks>

const url = { maxLength: 8192, optional: true } as const
/** The fields for the redirects, and for the defaults of the domain's links. */
const redirectFields = {
  redirectroot: { label: 'domain.rootRedirect', hint: 'domain.defaultNotFound', ...url },
  redirect404: { label: 'domain.unknownRedirect', hint: 'domain.defaultNotFound', ...url },
  expiredUrl: { label: 'domain.expiredRedirect', hint: 'domain.defaultExpired', ...url },
  forwardQuery: { label: 'domain.forwardQuery', type: 'check' },
  forwardPath: { label: 'domain.forwardPath', type: 'check' },
} as const
const file = { type: 'multiline', maxLength: 65_536, optional: true } as const
const names = { fields: { redirectRoot: 'redirectroot' } } as const

const editForm = defineForm(
  {
    ...redirectFields,
    assetLinks: {
      label: 'domain.appLinks.assetLinks.label',
      hint: 'domain.appLinks.assetLinks.hint',
      ...file,
    },
    appSiteAssociation: {
      label: 'domain.appLinks.appSiteAssociation.label',
      hint: 'domain.appLinks.appSiteAssociation.hint',
      ...file,
    },
  },
  names,
)

type Redirects = Record<keyof typeof redirectFields, string>

/** Returns the plugin with branded domains: their list and forms, and a domain's DNS state and brand. */
export function createDomainRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    // Slightly too large logos get an error at their field. Much larger bodies are rejected.
    await parseForms(app, 2 * MAX_LOGO_BYTES)
    registerDomainForms(app, ctx)
    registerDomainPage(app, ctx)
  }
}

function registerDomainForms(app: FastifyInstance, ctx: HttpContext): void {
  const getRecord = () => t('domain.record', createDnsRecord(new URL(ctx.config.baseUrl)))
  registerResource(app, {
    section: '/console/domains',
    words: () => ({ ...tAll('domain.words'), about: t('domain.about', { record: getRecord() }) }),
    nameOf: ({ host }: Domain) => hostText(host),
    columns: (zone) => [
      { head: t('domain.columns.dns'), cell: (domain) => renderState(ctx, domain, zone) },
      { head: t('domain.columns.root'), cell: (domain) => renderTarget(domain.redirectRoot) },
      { head: t('domain.columns.unknown'), cell: (domain) => renderTarget(domain.redirect404) },
    ],
    hasDetailsPage: true,
    list: listDomains,
    get: getDomainDetails,
    remove: deleteDomain,
    form: defineForm(
      {
        domain: {
          label: 'domain.domain',
          maxLength: 300,
          hint: () => t('domain.domainHint', { record: getRecord() }),
        },
        ...redirectFields,
      },
      { ...names, codes: { domain_taken: 'domain' } },
    ),
    editForm,
    valuesOf: (domain) => ({ ...domain, redirectroot: domain.redirectRoot }),
    add: async (scope, { domain, ...values }) => {
      const input = toInput(values)
      const [proof] = await checkAllAsync(
        () => verifyDomain(ctx, scope.accountId, readOrigin(domain)),
        (hasFailed) => hasFailed && readDomainColumns(scope, { host: '' }, input),
      )
      return addDomain(scope, proof, input)
    },
    update: (scope, id, values) =>
      updateDomain(scope, id, {
        ...toInput(values),
        assetLinks: toFile(values.assetLinks),
        appSiteAssociation: toFile(values.appSiteAssociation),
      }),
  })
}

/** Returns an entered domain with its scheme, which people can omit. @throws AppError `invalid_input` */
function readOrigin(domain: string): string {
  const origin = addScheme(domain)
  try {
    parseOrigin(origin)
  } catch (cause) {
    throw new AppError('invalid_input', { field: 'domain', text: 'domain.invalid', cause })
  }
  return origin
}

function renderTarget(url: string | null): SafeHtml {
  return url === null
    ? html`${t('resource.none')}`
    : html`<bdi class="address clamped">${url}</bdi>`
}

/** Returns a submitted app link file. Browsers submit its line breaks as CRLF. */
function toFile(text: string): string | null {
  return text.replaceAll('\r\n', '\n').trim() || null
}

function toInput({ redirectroot, redirect404, expiredUrl, forwardQuery, forwardPath }: Redirects) {
  return {
    redirectRoot: addScheme(redirectroot) || null,
    redirect404: addScheme(redirect404) || null,
    expiredUrl: addScheme(expiredUrl) || null,
    forwardQuery: forwardQuery !== '',
    forwardPath: forwardPath !== '',
  }
}
