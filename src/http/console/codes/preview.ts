import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { getLink } from '../../../links/link.service.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import { fill } from '../../../pages/fill.ts'
import type { QrType } from '../../../qr/content/payload.ts'
import { readPayload } from '../../../qr/content/read-payload.ts'
import { checkColors, computeContrastRatio } from '../../../qr/drawing/color.ts'
import { getQrDetails, getQrLogo } from '../../../qr/qr.service.ts'
import type { QrContent, QrDetails } from '../../../qr/qr.ts'
import { readQrContent } from '../../../qr/read-content.ts'
import { pageRoute } from '../../html/page-route.ts'
import { describeError } from '../../localization/error-text.ts'
import { parsePathId } from '../shell/path-id.ts'
import { renderPreviewErrorPage } from '../shell/preview-error.ts'
import { previewRoute, sendPreview } from '../shell/send-preview.ts'
import { listCodeFields } from './fields.ts'
import {
  type CodeForm,
  createEmptyForm,
  findErrorField,
  readCodeData,
  readCodeForm,
  readColors,
  readStyle,
  readType,
  toCodeForm,
} from './form.ts'
import { codeMessages as messages } from './messages.ts'
import { requireLink } from './named-link.ts'
import { renderCodePreviewPage } from './preview-page.ts'

type PreviewRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: { type?: unknown; link?: unknown }
}>

const SIZE = 480
/** A placeholder that has the length of a random alias. It is reserved, so no link can have it. */
const PLACEHOLDER_ALIAS = 'console'

/** Registers the previews of codes that are not stored yet. */
export function codePreviewRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { codeImages, config, readLogo } = ctx
  const shown = previewRoute()

  app.route({
    ...pageRoute,
    ...shown,
    url: '/codes/preview',
    handler: async ({ query, session }: PreviewRequest, reply) => {
      const link =
        typeof query.link === 'string'
          ? await getLink(ctx, ctx.db, session.account.id, parsePathId(query.link))
          : undefined
      return sendCode(reply, createEmptyForm(readType(query.type), link?.shortUrl))
    },
  })

  app.route({
    ...pageRoute,
    ...shown,
    url: '/codes/:id/preview',
    handler: async (request: PreviewRequest, reply) => {
      const code = await getCode(request)
      return sendCode(reply, toCodeForm(code, readType(request.query.type, code.type)), code)
    },
  })

  app.post('/codes/preview', shown, async ({ body }, reply) => sendCode(reply, readCodeForm(body)))

  app.post('/codes/:id/preview', shown, async (request: PreviewRequest, reply) =>
    sendCode(reply, readCodeForm(request.body), await getCode(request)),
  )

  function getCode({ session, params }: PreviewRequest): Promise<QrDetails> {
    return getQrDetails(ctx, ctx.db, session.account.id, parsePathId(params.id))
  }

  /** Sends the preview of a form's code, or the reason why it cannot be drawn. */
  async function sendCode(reply: FastifyReply, form: CodeForm, code?: QrDetails) {
    try {
      const preview = await draw(reply.request, form, code)
      return sendPreview(reply, { render: (nonce) => renderCodePreviewPage({ nonce, ...preview }) })
    } catch (error) {
      if (!(error instanceof AppError) || error.field === undefined) throw error
      const at = findErrorField(error, form)
      const label = getLabel(form.type, at)
      const isMissing = error.problem === 'is required'
      const text = isMissing
        ? fill(messages.preview.missing, { field: label })
        : fill(messages.preview.wrong, { field: label, problem: describeError(error) })
      return sendPreview(reply, {
        render: (nonce) => renderPreviewErrorPage({ nonce, text, isMissing }),
      })
    }
  }

  async function draw({ session, ip }: FastifyRequest, form: CodeForm, code?: QrDetails) {
    const { type, values } = form
    await requireLink(ctx, session.account.id, form)
    const { foreground, background } = readColors(values)
    const colors = { foreground: foreground ?? undefined, background: background ?? undefined }
    const { foreground: dark, background: light } = checkColors(
      colors.foreground,
      colors.background,
    )
    const content = await readQrContent(ctx, ctx.db, session.account.id, {
      type,
      data: readCodeData(form),
    })
    const encoded = content.kind === 'dynamic' ? content.target : content.payload
    const logo = await loadLogo(session.account.id, form, code)
    const shortUrl = findEncodedUrl(content, code)
    const isNew = content.kind === 'dynamic' && shortUrl === undefined
    const standIn = isNew ? shortUrlOf(config.baseUrl, PLACEHOLDER_ALIAS) : encoded
    const picture = await codeImages.drawUnstored(
      { payload: shortUrl ?? standIn, ...colors, logo, style: readStyle(values) },
      { format: 'svg', size: SIZE },
      ip,
    )
    return {
      picture: picture.toString('base64'),
      contrast: computeContrastRatio(dark, light),
      content: {
        type,
        parts: readPayload(type, encoded),
        shortUrl: isNew ? `${config.baseUrl}/…` : shortUrl,
      },
      notes: [
        ...(isNew ? [messages.preview.unsaved] : []),
        ...(!form.logo && values.logoAddress?.trim() ? [messages.preview.logoLater] : []),
      ],
    }
  }

  /** Returns the short URL that the code will encode, if it is known yet. */
  function findEncodedUrl(content: QrContent, code?: QrDetails): string | undefined {
    if (content.kind === 'static') return undefined
    if (code?.hasOwnLink) return code.shortUrl ?? undefined
    return content.link?.isExact ? content.target : undefined
  }

  /** Returns the uploaded logo, or the stored one if it is kept. */
  async function loadLogo(
    accountId: number,
    { logo, values }: CodeForm,
    code?: QrDetails,
  ): Promise<Buffer | undefined> {
    if (logo) return readLogo(accountId, logo)
    if (!code?.hasLogo || values.removeLogo || values.logoAddress?.trim()) return undefined
    return (await getQrLogo(ctx.db, accountId, code.id)) ?? undefined
  }
}

function getLabel(type: QrType, at: string): string {
  const { foreground, background, logo, source, caption, preview } = messages
  const labels: Readonly<Record<string, string>> = {
    foreground,
    background,
    logo,
    caption,
    link: source.link,
  }
  const field = listCodeFields(type).find(({ name }) => name === at)
  return field?.label ?? labels[at] ?? preview.form
}
