import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { getLink } from '../../../links/link.service.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import type { QrType } from '../../../qr/content/payload.ts'
import { readPayload } from '../../../qr/content/read-payload.ts'
import { checkColors, computeContrastRatio } from '../../../qr/drawing/color.ts'
import { getQrDetails, getQrLogo } from '../../../qr/qr.service.ts'
import type { QrContent, QrDetails } from '../../../qr/qr.ts'
import { readQrContent } from '../../../qr/read-content.ts'
import { t } from '../../../texts.ts'
import { describeError } from '../../html/describe-error.ts'
import { parsePathId } from '../../request/path-id.ts'
import { createPreviewError, type Preview, registerPreview } from '../kit/preview.ts'
import { type ConsoleRequest, idOf } from '../kit/subject.ts'
import { listCodeFields } from './fields.ts'
import {
  type CodeForm,
  createNewForm,
  findErrorField,
  readCodeData,
  readCodeForm,
  readColors,
  readStyle,
  readType,
  toCodeForm,
} from './form.ts'
import { renderCodePreviewPage } from './preview-page.ts'
import { requireLink } from './require-link.ts'

/** The width of the image in pixels: twice the width on the page. */
const SIZE = 480
/** A placeholder that has the length of a random alias. It is reserved, so no link can have it. */
const PLACEHOLDER_ALIAS = 'console'

/**
 * Registers the routes that preview a code: from the initial or stored values when the form opens,
 * and from the current values while the user edits them.
 */
export function registerCodePreviewRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { codeImages, config, readLogo } = ctx

  registerPreview(app, '/codes/preview', async (request) => {
    const { query, session } = request
    if (request.method === 'POST') return createPreview(request, readCodeForm(request.body))
    const link =
      typeof query.link === 'string'
        ? await getLink(ctx, ctx.db, session.account.id, parsePathId(query.link))
        : undefined
    return createPreview(request, createNewForm(readType(query.type), link?.shortUrl))
  })

  registerPreview(app, '/codes/:id/preview', async (request) => {
    const code = await getQrDetails(ctx, ctx.db, request.session.account.id, idOf(request))
    const form =
      request.method === 'POST'
        ? readCodeForm(request.body)
        : toCodeForm(code, readType(request.query.type, code.type))
    return createPreview(request, form, code)
  })

  /** Draws a form's code, or shows the error of an invalid field. Throws errors without a field. */
  async function createPreview(
    request: ConsoleRequest,
    form: CodeForm,
    code?: QrDetails,
  ): Promise<Preview> {
    try {
      const preview = await drawPreview(request, form, code)
      return { render: (nonce) => renderCodePreviewPage({ nonce, ...preview }) }
    } catch (error) {
      if (!(error instanceof AppError) || error.field === undefined) throw error
      const field = getFieldLabel(form.type, findErrorField(error, form))
      const isMissing = error.problem === 'required'
      const text = isMissing
        ? t('code.preview.missing', { field })
        : t('code.preview.wrong', { field, problem: describeError(error) })
      return createPreviewError(text, isMissing)
    }
  }

  async function drawPreview({ session, ip }: ConsoleRequest, form: CodeForm, code?: QrDetails) {
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
    const encoded = content.kind === 'dynamic' ? content.destination : content.payload
    const logo = await loadLogo(session.account.id, form, code)
    const shortUrl = findEncodedUrl(content, code)
    const isNew = content.kind === 'dynamic' && shortUrl === undefined
    const placeholder = shortUrlOf(config.baseUrl, PLACEHOLDER_ALIAS)
    const payload = isNew ? placeholder : (shortUrl ?? encoded)
    const picture = await codeImages.drawUnstored(
      { payload, ...colors, logo, style: readStyle(values) },
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
        ...(isNew ? [t('code.preview.unsaved')] : []),
        ...(!form.logo && values.logoAddress?.trim() ? [t('code.preview.logoLater')] : []),
      ],
    }
  }

  /**
   * Returns the short URL that the code will encode. Undefined for static codes, and for codes whose
   * short link is created when they are saved.
   */
  function findEncodedUrl(content: QrContent, code?: QrDetails): string | undefined {
    if (content.kind === 'static') return undefined
    if (code?.hasOwnLink) return code.shortUrl ?? undefined
    return content.link?.isExact ? content.destination : undefined
  }

  /**
   * Returns the uploaded logo, otherwise the stored one unless the form removes it or has a logo URL,
   * which is loaded only when the code is saved.
   */
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

/** Returns the label of a form field. For unlabeled fields, returns a text for the form. */
function getFieldLabel(type: QrType, fieldName: string): string {
  const labels: Readonly<Record<string, string>> = {
    foreground: t('code.foreground'),
    background: t('code.background'),
    logo: t('code.logo'),
    caption: t('code.caption'),
    link: t('code.source.link'),
  }
  const field = listCodeFields(type).find(({ name }) => name === fieldName)
  return field?.label ?? labels[fieldName] ?? t('code.preview.form')
}
