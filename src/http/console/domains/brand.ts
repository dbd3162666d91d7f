import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { type BrandInput, getBrand, setBrand } from '../../../domains/brand.service.ts'
import { createDnsRecord } from '../../../domains/dns-record.ts'
import { getDomainDetails } from '../../../domains/domain.service.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import { toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { parseForms } from '../../request/multipart.ts'
import { parsePathId } from '../../request/path-id.ts'
import { formFor } from '../kit/roles.ts'
import type { FieldError } from '../shell/field-error.ts'
import { sendConsolePage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { renderDomainPage } from './page.ts'

type BrandRequest = FastifyRequest<{ Params: { id: string } }>

/** Returns the plugin with the route that stores the brand of a domain's visitor pages. */
export function createDomainBrandRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    // Slightly too large logos get an error at their field. Much larger bodies are rejected.
    await parseForms(app, 2 * MAX_LOGO_BYTES)

    app.post('/domains/:id/brand', formFor('editor'), async (request: BrandRequest, reply) => {
      const id = parsePathId(request.params.id)
      try {
        await setBrand(ctx, ctx.db, request.session.account.id, id, toBrandInput(request.body))
        setToast(reply, 'saved')
        return await reply.redirect(`/console/domains/${id}`, 303)
      } catch (error) {
        const rejection = toAppError(error, request)
        if (rejection.code !== 'invalid_input') throw rejection
        const { field = '' } = rejection
        return sendDomainPageWithError(request, reply, { field, text: describeError(rejection) })
      }
    })
  }

  async function sendDomainPageWithError(
    { session, params }: BrandRequest,
    reply: FastifyReply,
    brandError: FieldError,
  ) {
    const domain = await getDomainDetails(ctx.db, session.account.id, parsePathId(params.id))
    const brand = await getBrand(ctx.db, session.account.id, domain.id)
    const record = createDnsRecord(new URL(ctx.config.baseUrl))
    return sendConsolePage(
      reply,
      (frame) => renderDomainPage(frame, { domain, record, brand, brandError, now: ctx.clock() }),
      { status: 422 },
    )
  }
}

/** Returns the submitted brand. Without `logo`, the stored one is kept. */
function toBrandInput(body: unknown): BrandInput {
  const submitted = (body ?? {}) as Record<string, unknown>
  const { logo, removeLogo, hasAccent, accent, footer } = submitted
  const file = Buffer.isBuffer(logo) && logo.length > 0 ? logo : undefined
  return {
    accent: hasAccent === 'on' && typeof accent === 'string' ? accent : null,
    footer: footer === 'on',
    ...(file ? { logo: file } : removeLogo === 'on' ? { logo: null } : {}),
  }
}
