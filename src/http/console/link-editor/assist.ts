import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { buildFinalUrl } from '../../../links/decide.ts'
import { checkAlias } from '../../../links/link.service.ts'
import { fetchPageDetails, type PageDetails } from '../../../links/page-details.ts'
import { findNamedDomain } from '../../../links/short-link.ts'
import type { Scope } from '../../../scope.ts'
import { t } from '../../../texts.ts'
import { parseAlias } from '../../../urls/alias.ts'
import { addScheme, toFollowableHref } from '../../../urls/destination-url.ts'
import { extractAlias, shortUrlOf } from '../../../urls/short-url.ts'
import { toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { noSniffHeader } from '../../response-headers.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { readFields } from '../shell/send.ts'
import { type LinkForm, listParameters, readLinkForm } from './form.ts'

const CODE_SIZE = 320
/** A placeholder that has the length of a random alias. It is reserved, so no link can have it. */
const PLACEHOLDER_ALIAS = 'console'

/** Registers the routes that the form's scripts request while the user types. */
export function registerAssistRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { baseUrl } = ctx.config

  app.post('/links/free', formFor('editor'), async (request, reply) => {
    const { scope, query, body } = request
    const { alias, domain } = readFields(body, ['alias', 'domain'])
    const { id } = readFields(query, ['id'])
    const requested = { alias: alias.trim(), domain: domain || null, id: Number(id) }
    reply.header('cache-control', 'private, no-store')
    if (requested.alias === '') return { state: '', text: '' }
    try {
      const state = await checkAlias(scope, requested)
      return { state, text: t(`linkForm.aliasStates.${state}`) }
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.field === undefined) throw rejection
      const text = rejection.field === 'alias' ? describeError : describeLabeledError
      return { state: 'wrong', text: text(rejection) }
    }
  })

  app.post('/links/final', formFor('editor'), async ({ scope, body }, reply) => {
    reply.header('cache-control', 'private, no-store')
    return { text: await describeFinalUrl(scope, readLinkForm(body)) }
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

/**
 * Returns the URL to which the form's link redirects, unless a rule or a split applies. For an
 * invalid destination, returns a text that says so.
 */
export async function describeFinalUrl(scope: Scope<HttpContext>, form: LinkForm): Promise<string> {
  const { texts } = form
  const parameters = listParameters(form).filter(({ name }) => name.trim() !== '')
  const query = texts.forwardQuery
    ? texts.forwardQuery === 'yes'
    : ((await findFormDomain(scope, texts.domain))?.forwardQuery ?? false)
  const href = toFollowableHref(addScheme(texts.url ?? ''))
  const nothing = { path: '', query: '' }
  const link = { parameters, forwarding: { query, path: false } }
  return buildFinalUrl(link, href, { forwardedParts: () => nothing }) ?? t('linkForm.final.none')
}

/** Returns the domain in the form, unless it is the service's own host or unknown. */
async function findFormDomain(scope: Scope<HttpContext>, domain: string | undefined) {
  try {
    return await findNamedDomain(scope, domain)
  } catch (error) {
    if (!(error instanceof AppError) || error.field === undefined) throw error
    return undefined
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
