import { type Static, Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import { APP_LINKS } from '../../domains/app-links.ts'
import type { BrandedDomain } from '../../domains/branded-domain.ts'
import {
  addDomain,
  type DomainInput,
  getDomainDetails,
  listDomains,
  updateDomain,
} from '../../domains/domain.service.ts'
import { verifyDomain } from '../../domains/domain-proof.ts'
import { deleteDomain } from '../../links/domain-deletion.ts'
import { parsePathId } from '../request/path-id.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import {
  addErrorReplies,
  allClearable,
  allOptional,
  createListReply,
  Id,
  ListQuery,
  MessageReply,
  normalizeBody,
  presentPage,
  readPage,
  Text,
} from './schemas.ts'

const tags = ['domains']
const Params = Type.Object({ id: Type.String({ description: 'ID of the domain.' }) })

const domain = Text(300, {
  description: 'Scheme and host. The host must already point to this service.',
})
const fields = {
  redirectroot: Text(32_768, { description: 'Redirect URL for the domain itself.' }),
  redirect404: Text(32_768, { description: 'Redirect URL for unknown paths on the domain.' }),
  expiredUrl: Text(32_768, {
    description: 'Redirect URL for expired links that have no `expiredUrl` of their own.',
  }),
  /** Flags are omitted from replies unless set, because older clients do not expect them. */
  forwardQuery: Type.Boolean({
    description:
      'Whether links on the domain add the visitor’s query string to the destination by default.',
  }),
  forwardPath: Type.Boolean({
    description:
      'Whether links on the domain add the path after the alias to the destination by default.',
  }),
  assetlinks: Text(65_536, {
    description: `JSON served at ${APP_LINKS.assetLinks.path}.`,
  }),
  appsiteassociation: Text(65_536, {
    description: `JSON served at ${APP_LINKS.appSiteAssociation.path}.`,
  }),
}

const DomainCreate = Type.Object(
  { domain, ...allOptional(fields) },
  { examples: [{ domain: 'https://go.example.com', redirectroot: 'https://example.com/' }] },
)

export const DomainUpdate = Type.Object(allClearable(fields), {
  description: 'Absent or null fields keep their values; "" clears a field.',
  examples: [{ redirectroot: 'https://example.com/' }],
})

const DomainEntry = Type.Object({
  id: Id,
  domain: Type.String({ description: 'Scheme and host.' }),
  redirectroot: Type.String(),
  redirect404: Type.String(),
  expiredUrl: Type.Optional(Type.String()),
  forwardQuery: Type.Optional(Type.Boolean()),
  forwardPath: Type.Optional(Type.Boolean()),
})

const DomainDetails = Type.Object({
  ...DomainEntry.properties,
  assetlinks: Type.String(),
  appsiteassociation: Type.String(),
})

/** Fits the two app link files of 64 KiB, even if every character is escaped. */
const BODY_LIMIT = 512 * 1024

export function registerDomainRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/domains',
    {
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'List branded domains',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('domains', DomainEntry, config.listError)),
      },
    },
    async ({ scope, query }) => {
      const page = readPage(query)
      const { entries, total } = await listDomains(scope, page)
      return presentPage('domains', entries.map(present), page, total, config.listError)
    },
  )

  app.get(
    '/domain/:id',
    {
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'Get a branded domain and its app links',
        params: Params,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), details: DomainDetails })),
      },
    },
    async ({ scope, params }) => {
      const domain = await getDomainDetails(scope, parsePathId(params.id))
      const { assetLinks, appSiteAssociation } = domain
      const details = {
        ...present(domain),
        assetlinks: assetLinks ?? '',
        appsiteassociation: appSiteAssociation ?? '',
      }
      return { error: 0 as const, details }
    },
  )

  app.post(
    '/domain/add',
    {
      bodyLimit: BODY_LIMIT,
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'Add a branded domain',
        body: DomainCreate,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), id: Id })),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      // `prepare` runs before the transaction, which would hold a database connection meanwhile.
      return runOnce(request, {
        prepare: () => verifyDomain(ctx, request.account.id, request.body.domain),
        work: (scope, domain) => addDomain(scope, domain, readDomainInput(request.body)),
        present: ({ id }) => ({ error: 0 as const, id }),
      })
    },
  )

  app.put(
    '/domain/:id/update',
    {
      bodyLimit: BODY_LIMIT,
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'Update the redirects and app links of a domain',
        params: Params,
        body: DomainUpdate,
        response: addErrorReplies(MessageReply),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ scope, params, body }) => {
      await updateDomain(scope, parsePathId(params.id), readDomainInput(body))
      return { error: 0 as const, message: 'Domain has been updated successfully.' }
    },
  )

  app.delete(
    '/domain/:id/delete',
    {
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'Delete a domain and the keys bound to it',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ scope, params }) => {
      await deleteDomain(scope, parsePathId(params.id))
      return { error: 0 as const, message: 'Domain has been deleted successfully.' }
    },
  )
}

/** Converts a request's domain fields to internal names. */
export function readDomainInput({
  redirectroot: redirectRoot,
  assetlinks: assetLinks,
  appsiteassociation: appSiteAssociation,
  ...others
}: Static<typeof DomainUpdate>): DomainInput {
  const { redirect404, expiredUrl, forwardQuery, forwardPath } = others
  const redirects = { redirectRoot, redirect404, expiredUrl, forwardQuery, forwardPath }
  return { ...redirects, assetLinks, appSiteAssociation }
}

function present(domain: BrandedDomain) {
  return {
    id: domain.id,
    domain: domain.origin,
    redirectroot: domain.redirectRoot ?? '',
    redirect404: domain.redirect404 ?? '',
    ...(domain.expiredUrl !== null && { expiredUrl: domain.expiredUrl }),
    ...(domain.forwardQuery && { forwardQuery: true }),
    ...(domain.forwardPath && { forwardPath: true }),
  }
}
