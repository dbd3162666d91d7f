import type { HttpContext } from '../../../context.ts'
import { APP_LINK_NAMES, type AppLinkName, type AppLinks } from '../../../domains/app-links.ts'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { dnsRecord } from '../../../domains/dns-record.ts'
import {
  addDomain,
  getDomainDetails,
  listDomains,
  updateDomain,
} from '../../../domains/domain.service.ts'
import { proveDomain } from '../../../domains/domain-proof.ts'
import { deleteDomain } from '../../../links/domain-deletion.ts'
import { withScheme } from '../../../target-url.ts'
import { domainMessages } from './domain-messages.ts'
import type { Resource, Values } from './resource.ts'

/** Lists leave out the app links. */
type Domain = BrandedDomain & Partial<AppLinks>

export function domainResource(ctx: HttpContext): Resource<Domain> {
  const { config } = ctx
  const { type, value } = dnsRecord(new URL(config.baseUrl))
  const record = `${type === 'CNAME' ? 'a' : 'an'} ${type} record to ${value}`
  const redirects: Resource<Domain>['fields']['make'] = [
    {
      name: 'redirectroot',
      label: 'Root redirect',
      maxLength: 8192,
      optional: true,
      hint: 'Leave blank to show the default “not found” page.',
    },
    {
      name: 'redirect404',
      label: '404 redirect',
      maxLength: 8192,
      optional: true,
      hint: 'Leave blank to show the default “not found” page.',
    },
    {
      name: 'expiredUrl',
      label: 'Expired link redirect',
      maxLength: 8192,
      optional: true,
      hint: 'Leave blank to show the default “expired” page.',
    },
    { name: 'forwardQuery', label: 'Forward queries of visitors by default', type: 'check' },
    { name: 'forwardPath', label: 'Forward paths after the alias by default', type: 'check' },
  ]
  const { appLinks } = domainMessages
  const files: Resource<Domain>['fields']['make'] = APP_LINK_NAMES.map((name) => ({
    name,
    ...appLinks[name],
    type: 'multiline',
    maxLength: 65_536,
    optional: true,
  }))
  return {
    words: {
      section: '/console/domains',
      name: 'domain',
      many: 'Domains',
      about: `Use your own domain for short links. First add this DNS record: ${record}.`,
      deletion: 'Delete or move its links first. API keys bound to it are deleted.',
    },
    columns: ['Root redirect', '404 redirect'],
    nameOf: ({ origin }) => origin,
    cellsOf: ({ redirectRoot, redirect404 }) => [
      { text: redirectRoot ?? 'nothing' },
      { text: redirect404 ?? 'nothing' },
    ],
    fields: {
      make: [
        {
          name: 'domain',
          label: 'Domain',
          maxLength: 300,
          hint: `For example go.example.com. Its DNS needs ${record}.`,
        },
        ...redirects,
      ],
      change: [...redirects, ...files],
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
    opens: true,
    list: (accountId, page) => listDomains(ctx.db, accountId, page),
    get: (accountId, id) => getDomainDetails(ctx.db, accountId, id),
    async add(accountId, { domain = '', ...values }) {
      return addDomain(
        ctx,
        ctx.db,
        accountId,
        await proveDomain(ctx, accountId, withScheme(domain)),
        inputOf(values),
      )
    },
    update: (accountId, id, values) =>
      updateDomain(ctx, ctx.db, accountId, id, { ...inputOf(values), ...filesOf(values) }),
    remove: (accountId, id) => deleteDomain(ctx, ctx.db, accountId, id),
  }
}

/** Browsers send line breaks as two characters. */
function filesOf(values: Values) {
  const text = (name: AppLinkName) => values[name]?.replaceAll('\r\n', '\n').trim() || null
  return { assetLinks: text('assetLinks'), appSiteAssociation: text('appSiteAssociation') }
}

function inputOf({ redirectroot, redirect404, expiredUrl, forwardQuery, forwardPath }: Values) {
  return {
    redirectRoot: withScheme(redirectroot ?? '') || null,
    redirect404: withScheme(redirect404 ?? '') || null,
    expiredUrl: withScheme(expiredUrl ?? '') || null,
    forwardQuery: forwardQuery === 'on',
    forwardPath: forwardPath === 'on',
  }
}
