import { type Static, Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import type { BrandedDomain } from '../../domains/branded-domain.ts'
import type { Redirects } from '../../domains/domain.service.ts'
import { addDomain, listDomains, updateDomain } from '../../domains/domain.service.ts'
import { proveDomain } from '../../domains/domain-proof.ts'
import { deleteDomain } from '../../links/domain-deletion.ts'
import type { ApiApp } from './api-app.ts'
import type { IdempotentPost } from './idempotency.ts'
import { normalizeBody } from './normalize-body.ts'
import { presentPage, readPage } from './pagination.ts'
import { readId } from './params.ts'
import { Clearable, Done, Id, ListQuery, listReply, replies, Text } from './schemas.ts'

const tags = ['domains']
const Params = Type.Object({ id: Type.String({ description: 'id of the domain' }) })

const fields = {
  domain: Text(300, { description: 'scheme and host; it must point to this service already' }),
  redirectroot: Text(32_768, { description: 'URL for visitors of the bare domain' }),
  redirect404: Text(32_768, { description: 'URL for visitors of what the domain does not know' }),
  expiredUrl: Text(32_768, {
    description: 'URL for visitors of expired links that have no URL of their own for it',
  }),
}

/** Absent in replies where they are not set, since the specification has no such fields. */
const flags = {
  forwardQuery: Type.Boolean({
    description: 'whether its links add the visitor’s query to the destination by default',
  }),
  forwardPath: Type.Boolean({
    description: 'whether its links add what follows the alias to the destination by default',
  }),
}

const DomainCreate = Type.Object(
  {
    domain: fields.domain,
    redirectroot: Type.Optional(fields.redirectroot),
    redirect404: Type.Optional(fields.redirect404),
    expiredUrl: Type.Optional(fields.expiredUrl),
    forwardQuery: Type.Optional(flags.forwardQuery),
    forwardPath: Type.Optional(flags.forwardPath),
  },
  { examples: [{ domain: 'https://go.example.com', redirectroot: 'https://example.com/' }] },
)

export const DomainUpdate = Type.Object(
  {
    redirectroot: Clearable(fields.redirectroot),
    redirect404: Clearable(fields.redirect404),
    expiredUrl: Clearable(fields.expiredUrl),
    forwardQuery: Clearable(flags.forwardQuery),
    forwardPath: Clearable(flags.forwardPath),
  },
  {
    description: 'Fields that are absent or null stay as they are; "" clears.',
    examples: [{ redirectroot: 'https://example.com/' }],
  },
)

const DomainEntry = Type.Object({
  id: Id,
  domain: Type.String({ description: 'scheme and host' }),
  redirectroot: Type.String(),
  redirect404: Type.String(),
  expiredUrl: Type.Optional(Type.String()),
  forwardQuery: Type.Optional(Type.Boolean()),
  forwardPath: Type.Optional(Type.Boolean()),
})

export function domainRoutes(app: ApiApp, ctx: HttpContext, idempotent: IdempotentPost): void {
  const { config } = ctx

  app.get(
    '/domains',
    {
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'List branded domains',
        querystring: ListQuery,
        response: replies(listReply('domains', DomainEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await listDomains(ctx.db, account.id, page)
      return presentPage('domains', entries.map(present), page, total, config.listError)
    },
  )

  app.post(
    '/domain/add',
    {
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'Add a branded domain',
        body: DomainCreate,
        response: replies(Type.Object({ error: Type.Literal(0), id: Id })),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      // Before the transaction of an Idempotency-Key, which would otherwise hold a connection
      // meanwhile.
      return idempotent(request, {
        prepare: () => proveDomain(ctx, request.account.id, request.body.domain),
        work: (db, proven) =>
          addDomain(ctx, db, request.account.id, proven, readRedirects(request.body)),
        present: ({ id }) => ({ error: 0 as const, id }),
      })
    },
  )

  app.put(
    '/domain/:id/update',
    {
      config: { access: { scope: 'full' } },
      schema: {
        tags,
        summary: 'Change where a domain sends visitors',
        params: Params,
        body: DomainUpdate,
        response: replies(Done),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ account, params, body }) => {
      await updateDomain(ctx, ctx.db, account.id, readId(params.id), readRedirects(body))
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
        response: replies(Done),
      },
    },
    async ({ account, params }) => {
      await deleteDomain(ctx, ctx.db, account.id, readId(params.id))
      return { error: 0 as const, message: 'Domain has been deleted successfully.' }
    },
  )
}

/** Returns the redirects in a request, under their internal names. */
export function readRedirects({
  redirectroot,
  redirect404,
  ...settings
}: Static<typeof DomainUpdate>): Redirects {
  const { expiredUrl, forwardQuery, forwardPath } = settings
  return { redirectRoot: redirectroot, redirect404, expiredUrl, forwardQuery, forwardPath }
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
