import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { checkAlias } from '../../../links/link.service.ts'
import { findNamedDomain } from '../../../links/named-domain.ts'
import { fetchPageDetails, type PageDetails } from '../../../links/page-details.ts'
import type { Scope } from '../../../scope.ts'
import { t } from '../../../texts.ts'
import { parseAlias } from '../../../urls/alias.ts'
import { addScheme } from '../../../urls/destination-url.ts'
import { extractAlias, shortUrlOf } from '../../../urls/short-url.ts'
import { toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { noSniffHeader } from '../../response-headers.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { readFields } from '../shell/send.ts'

const CODE_SIZE = 320
/** A placeholder that has the length of a random alias. It is reserved, so no link can have it. */
const PLACEHOLDER_ALIAS = 'console'

/** Registers the routes that the form's scripts request while the user types. */
export function registerAssistRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { baseUrl } = ctx.config

  app.route({
    ...pageFor('viewer'),
    url: '/links/free',
    handler: async ({ scope, query }, reply) => {
      const { alias, domain, id } = readFields(query, ['alias', 'domain', 'id'])
      const requested = { alias: alias.trim(), domain: domain || null, id: Number(id) }
      reply.header('cache-control', 'private, no-store')
      try {
        const state = await checkAlias(scope, requested)
        return { state, text: t(`linkForm.aliasStates.${state}`) }
      } catch (error) {
        const rejection = toAppError(error, reply.request)
        if (rejection.field === undefined) throw rejection
        const text = rejection.field === 'alias' ? describeError : describeLabeledError
        return { state: 'wrong', text: text(rejection) }
      }
    },
  })

  // Serves the QR code of the short link in the form, which may not exist yet.
  app.route({
    ...pageFor('viewer'),
    url: '/links/code.svg',
    handler: async ({ scope, query, ip }, reply) => {
      const { alias, domain } = readFields(query, ['alias', 'domain'])
      const payload = await buildShortUrl(scope, alias.trim(), domain)
      const style = { foreground: undefined, background: undefined, logo: undefined }
      const requested = { format: 'svg', size: CODE_SIZE } as const
      const picture = await ctx.codeImages.drawUnstored({ payload, ...style }, requested, ip)
      const headers = { 'cache-control': 'private, max-age=3600', ...noSniffHeader }
      return reply.type('image/svg+xml').headers(headers).send(picture)
    },
  })

  app.post('/links/title', formFor('editor'), async (request, reply) => {
    reply.header('cache-control', 'private, no-store')
    const answer = await fetchTitle(ctx, request, readFields(request.body, ['url']).url)
    return 'error' in answer ? reply.status(422).send({ text: answer.error }) : answer
  })

  /** Returns the short URL in the form, with a placeholder for a missing or invalid alias. */
  async function buildShortUrl(
    scope: Scope<HttpContext>,
    alias: string,
    domain: string,
  ): Promise<string> {
    try {
      const branded = await findNamedDomain(scope, domain)
      const origin = branded?.origin ?? baseUrl
      if (alias === '') return shortUrlOf(origin, PLACEHOLDER_ALIAS)
      return shortUrlOf(origin, parseAlias('alias', extractAlias(alias, origin)))
    } catch (error) {
      if (!(error instanceof AppError) || error.field === undefined) throw error
      return shortUrlOf(baseUrl, PLACEHOLDER_ALIAS)
    }
  }
}

/** Fetches the title and description of a destination. `text` tells the user about the result. */
export async function fetchTitle(
  ctx: HttpContext,
  request: FastifyRequest,
  url: string,
): Promise<(PageDetails & { text: string }) | { error: string }> {
  try {
    const details = await fetchPageDetails(ctx, request.session.account.id, addScheme(url))
    return { ...details, text: details.title ? t('linkForm.fetched') : t('linkForm.noTitle') }
  } catch (error) {
    const rejection = toAppError(error, request)
    if (rejection.field === undefined) throw rejection
    return { error: describeError(rejection) }
  }
}
