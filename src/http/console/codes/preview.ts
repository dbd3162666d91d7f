import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import type { QrType } from '../../../qr/content/payload.ts'
import { type QrParts, readPayload } from '../../../qr/content/read-payload.ts'
import { checkColors, computeContrastRatio } from '../../../qr/drawing/color.ts'
import { getQrLogo } from '../../../qr/qr.service.ts'
import type { QrContent, QrDetails } from '../../../qr/qr.ts'
import { readQrContent } from '../../../qr/qr-input.ts'
import type { Scope } from '../../../scope.ts'
import { t } from '../../../texts.ts'
import { addScanMarker } from '../../../urls/scan-marker.ts'
import { shortUrlOf } from '../../../urls/short-url.ts'
import { describeError } from '../../html/describe-error.ts'
import { createPreviewError, type Preview, registerPreview } from '../kit/preview.ts'
import { renderPlainPage } from '../kit/signed-out.ts'
import type { ConsoleRequest } from '../kit/subject.ts'
import { readCodeEditor } from './editor.ts'
import {
  CODE_FORMS,
  CONTENT_FIELDS,
  type CodeForm,
  findErrorField,
  readCodeData,
  readColors,
  readStyle,
  requireLink,
} from './form.ts'

type CodeContent = {
  type: QrType
  /** The encoded content by field name. For links, only the destination as `url`. */
  parts: QrParts
  /** The short URL that the code encodes, if it encodes one. */
  shortUrl: string | undefined
}

/** The width of the image in pixels: twice the width on the page. */
const SIZE = 480
/** Below this contrast, some phones cannot read a code. */
const GOOD_CONTRAST = 4.5
/** A placeholder that has the length of a random alias. It is reserved, so no link can have it. */
const PLACEHOLDER_ALIAS = 'console'

/** Registers the previews of a new code and of one that is being edited. */
export function registerCodePreviews(app: FastifyInstance, ctx: HttpContext): void {
  const { codeImages, config, readLogo } = ctx

  for (const url of ['/codes/preview', '/codes/:id/preview']) {
    registerPreview(app, url, createPreview)
  }

  /** Draws a form's code, or shows the error of an invalid field. Throws errors without a field. */
  async function createPreview(request: ConsoleRequest): Promise<Preview> {
    const { form, code } = await readCodeEditor(ctx, request)
    try {
      return await drawPreview(request, form, code)
    } catch (error) {
      if (!(error instanceof AppError) || error.field === undefined) throw error
      const field = findFieldLabel(form, error)
      const isMissing = error.problem === 'required'
      if (isMissing) {
        const text = field ? t('code.preview.missing', { field }) : t('code.preview.nothing')
        return createPreviewError(text, isMissing)
      }
      const values = { field: field ?? t('code.preview.form'), problem: describeError(error) }
      return createPreviewError(t('code.preview.wrong', values), isMissing)
    }
  }

  async function drawPreview(
    { scope, ip }: ConsoleRequest,
    form: CodeForm,
    code?: QrDetails,
  ): Promise<Preview> {
    const { type, values } = form
    await requireLink(scope, form)
    const { foreground, background } = readColors(values)
    const colors = { foreground: foreground ?? undefined, background: background ?? undefined }
    const checked = checkColors(colors.foreground, colors.background)
    const contrast = computeContrastRatio(checked.foreground, checked.background)
    const data = readCodeData(form)
    const content = await readQrContent(scope, { type, data })
    const encoded = content.kind === 'dynamic' ? content.destination : content.payload
    const logo = await loadLogo(scope, form, code)
    const shortUrl = findEncodedUrl(content, code)
    const isNew = content.kind === 'dynamic' && shortUrl === undefined
    const payload = isNew ? shortUrlOf(config.baseUrl, PLACEHOLDER_ALIAS) : (shortUrl ?? encoded)
    const picture = await codeImages.drawUnstored(
      { payload, ...colors, logo, style: readStyle(values) },
      { format: 'svg', size: SIZE },
      ip,
    )
    const notes = [
      ...(isNew ? [t('code.preview.unsaved')] : []),
      ...(!form.logo && values.logoAddress?.trim() ? [t('code.preview.logoLater')] : []),
    ]
    return renderPreview(picture, contrast, notes, {
      type,
      parts: readPayload(type, encoded),
      shortUrl: isNew ? `${config.baseUrl}/…` : shortUrl,
    })
  }

  /**
   * Returns the short URL that the code will encode. Undefined for static codes, and for codes whose
   * short link is created when they are saved.
   */
  function findEncodedUrl(content: QrContent, code?: QrDetails): string | undefined {
    if (content.kind === 'static') return undefined
    if (code?.hasOwnLink) return code.shortUrl ?? undefined
    return content.link?.isExact ? addScanMarker(content.destination) : undefined
  }

  /**
   * Returns the uploaded logo, otherwise the stored one unless the form removes it or has a logo URL,
   * which is loaded only when the code is saved.
   */
  async function loadLogo(
    scope: Scope<HttpContext>,
    { logo, values }: CodeForm,
    code?: QrDetails,
  ): Promise<Buffer | undefined> {
    if (logo) return readLogo(scope.accountId, logo)
    if (!code?.hasLogo || values.removeLogo || values.logoAddress?.trim()) return undefined
    return (await getQrLogo(scope, code.id)) ?? undefined
  }
}

/** Renders the image, the rating of its contrast, notes to consider before saving, and the content. */
function renderPreview(
  picture: Buffer,
  contrast: number,
  notes: readonly string[],
  content: CodeContent,
): Preview {
  const title = t('code.preview.title')
  const body = html`<h1 class="hidden-text">${title}</h1>
<img class="picture" src="data:image/svg+xml;base64,${picture.toString('base64')}" width="240" alt="${t('code.preview.alt')}">
${
  contrast < GOOD_CONTRAST
    ? html`<p class="notice" role="alert">${t('code.preview.weak')}</p>`
    : html`<p class="small soft center">${t('code.preview.good')}</p>`
}
${notes.map((note) => html`<p class="small soft">${note}</p>`)}
<section class="inset">
<h2>${t('code.whenScanned')}</h2>
${renderCodeContent(content)}
</section>`
  return { render: (nonce) => renderPlainPage({ title, nonce, body }) }
}

/** Returns the label of the field of an error, if it has one. */
function findFieldLabel(form: CodeForm, error: AppError): string | undefined {
  const name = findErrorField(error, form)
  if (name === 'logo') return t('code.logo')
  return CODE_FORMS[form.type].findLabel(name)
}

/** Renders the action that a code triggers on a phone, its type and its content. */
export function renderCodeContent({ type, parts, shortUrl }: CodeContent): SafeHtml {
  const names = Object.keys(CONTENT_FIELDS[type]).filter((name) => parts[name])
  return html`<p>${t(`code.actions.${type}`)}</p>
<dl class="facts">
<dt>${t('code.type')}</dt><dd>${t(`code.types.${type}`)}</dd>
${shortUrl ? html`<dt>${t('code.encodedUrl')}</dt><dd class="address"><bdi>${shortLinkText(shortUrl)}</bdi></dd>` : null}
${names.map(
  (name) =>
    html`<dt>${getContentLabel(type, name)}</dt><dd class="text" dir="auto">${getContentText(type, name, parts[name] ?? '')}</dd>`,
)}</dl>`
}

function getContentLabel(type: QrType, name: string): string {
  if (type === 'link') return t('code.destination')
  if (name === 'card') return t('code.contact')
  return CODE_FORMS[type].findLabel(name) ?? name
}

function getContentText(type: QrType, name: string, value: string): SafeHtml | string {
  const spec = CONTENT_FIELDS[type][name]
  if (spec?.type === 'check') return t('code.yes')
  if (spec?.type !== 'select') return value
  return spec.choices?.().find((choice) => choice.value === value)?.label ?? value
}
