import type { HttpContext } from '../../../context.ts'
import type { BrandedDomain } from '../../../domains/branded-domain.ts'
import { dnsRecord } from '../../../domains/dns-record.ts'
import { addDomain, getDomain, listDomains, updateDomain } from '../../../domains/domain.service.ts'
import { proveDomain } from '../../../domains/domain-proof.ts'
import { deleteDomain } from '../../../links/domain-deletion.ts'
import type { Resource, Values } from './resource.ts'

export function domainResource(ctx: HttpContext): Resource<BrandedDomain> {
  const { config } = ctx
  const { type, value } = dnsRecord(new URL(config.baseUrl))
  const record = `${type === 'CNAME' ? 'a' : 'an'} ${type} record to ${value}`
  const redirects: Resource<BrandedDomain>['fields']['make'] = [
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
          hint: `For example https://go.example.com. Its DNS needs ${record}.`,
        },
        ...redirects,
      ],
      change: redirects,
    },
    valuesOf: ({ redirectRoot, redirect404, expiredUrl, forwardQuery, forwardPath }) => ({
      redirectroot: redirectRoot ?? '',
      redirect404: redirect404 ?? '',
      expiredUrl: expiredUrl ?? '',
      forwardQuery: forwardQuery ? 'on' : '',
      forwardPath: forwardPath ? 'on' : '',
    }),
    fieldNames: { redirectRoot: 'redirectroot' },
    opens: true,
    list: (accountId, page) => listDomains(ctx.db, accountId, page),
    get: (accountId, id) => getDomain(ctx.db, accountId, id),
    async add(accountId, { domain = '', ...values }) {
      return addDomain(
        ctx,
        ctx.db,
        accountId,
        await proveDomain(ctx, accountId, domain.trim()),
        inputOf(values),
      )
    },
    update: (accountId, id, values) => updateDomain(ctx, ctx.db, accountId, id, inputOf(values)),
    remove: (accountId, id) => deleteDomain(ctx, ctx.db, accountId, id),
  }
}

function inputOf({ redirectroot, redirect404, expiredUrl, forwardQuery, forwardPath }: Values) {
  return {
    redirectRoot: redirectroot?.trim() || null,
    redirect404: redirect404?.trim() || null,
    expiredUrl: expiredUrl?.trim() || null,
    forwardQuery: forwardQuery === 'on',
    forwardPath: forwardPath === 'on',
  }
}
