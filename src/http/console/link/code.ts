import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError, invalid } from '../../../errors.ts'
import { getLink } from '../../../links/link.service.ts'
import { checkColors } from '../../../qr/drawing/color.ts'
import { findText, t } from '../../../texts.ts'
import { addScanMarker } from '../../../urls/scan-marker.ts'
import { noSniffHeader } from '../../response-headers.ts'
import { buildUrl } from '../analytics/state.ts'
import type { Parameter } from '../analytics/subject.ts'
import { renderControl, renderHidden } from '../kit/fields.ts'
import { renderLink } from '../kit/parts.ts'
import { pageFor } from '../kit/roles.ts'
import { type ConsoleRequest, idOf } from '../kit/subject.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import type { Frame } from '../shell/layout.ts'

const FORMATS = { png: 'image/png', svg: 'image/svg+xml', pdf: 'application/pdf' } as const

/** The default width of images in pixels, and the limits. */
export const DEFAULT_SIZE = '600'
export const MIN_SIZE = 100
export const MAX_SIZE = 2000
const DEFAULTS = { foreground: '#000000', background: '#ffffff', size: DEFAULT_SIZE } as const

type Query = Readonly<Record<string, unknown>>
type Format = keyof typeof FORMATS
/** The style of a QR code as form values. Colors are `#rrggbb`. */
type Style = Record<keyof typeof DEFAULTS, string>

type CodePanel = {
  linkId: number
  /** The code that is saved for the link, if there is one. */
  saved: { id: number; alias: string } | undefined
  /** The query of the page, which has the style. */
  query: Query
  /** The other parameters of the page. */
  kept: readonly Parameter[]
}

/** Registers the files of a link's QR code, in the style that the URL has. */
export function registerLinkCodeFiles(app: FastifyInstance, ctx: HttpContext): void {
  for (const [format, type] of Object.entries(FORMATS) as [Format, string][]) {
    app.route({
      ...pageFor('viewer'),
      url: `/links/:id/qr.${format}`,
      handler: async (request: ConsoleRequest, reply) => {
        const link = await getLink(request.scope, idOf(request))
        const { size, ...colors } = parseStyle(readStyle(request.query))
        const code = { payload: addScanMarker(link.shortUrl), ...colors }
        const image = await ctx.codeImages.drawUnstored(code, { format, size }, request.ip)
        return reply
          .type(type)
          .headers({
            'content-disposition': `inline; filename="link-${link.id}.${format}"`,
            'content-security-policy': "default-src 'none'",
            'cache-control': 'private, max-age=300',
            ...noSniffHeader,
          })
          .send(image)
      },
    })
  }
}

/** Renders the link's QR code with its files: the saved one, or one in selected colors. */
export function renderCodePanel(frame: Frame, { linkId, saved, query, kept }: CodePanel): SafeHtml {
  const path = `/console/links/${linkId}`
  const style = readStyle(query)
  const error = saved ? undefined : findStyleError(style)
  const parameters = error === undefined ? listStyleParameters(style) : []
  const hrefOf = (format: Format) =>
    saved
      ? `/qr/${saved.alias}.${format}${format === 'png' ? `?size=${DEFAULT_SIZE}` : ''}`
      : buildUrl(`${path}/qr.${format}`, parameters)
  const editor = saved ? `/console/codes/${saved.id}/edit` : `/console/codes/new?link=${linkId}`
  return html`<section class="panel code" aria-labelledby="code">
<h2 id="code" tabindex="-1">${t('code.ofLink.title')}</h2>
<div class="code-columns">
<img src="${hrefOf('svg')}" width="220" alt="${t('code.ofLink.alt')}" data-code>
<div>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
${renderDownloads(hrefOf)}
${saved ? null : html`<details${parameters.length > 0 || error ? html` open` : null}><summary>${t('code.ofLink.style')}</summary>${renderStyleForm(path, style, kept)}</details>`}
<p class="actions">${renderLink(frame, editor, saved ? t('code.ofLink.edit') : t('code.ofLink.customize'), { className: 'button quiet small' })}</p>
</div>
</div>
</section>`
}

/** Renders the links to the files of a code, whose names start with `fileName`. */
export function renderDownloads(hrefOf: (format: Format) => string, fileName?: string): SafeHtml {
  const renderFile = (format: Format, name: string) =>
    html`<a class="button quiet small" href="${hrefOf(format)}" download="${fileName ? `${fileName}.${format}` : ''}" aria-label="${name}">${format.toUpperCase()}</a>`
  return html`<p class="actions"><span class="small soft" aria-hidden="true">${t('code.download')}</span> ${renderFile('png', t('code.downloadPng'))} ${renderFile('svg', t('code.downloadSvg'))} ${renderFile('pdf', t('code.downloadPdf'))}</p>`
}

/** Renders the input for the width of downloaded images. */
export function renderSizeInput(value: string, label: string): SafeHtml {
  const attributes = html` min="${MIN_SIZE}" max="${MAX_SIZE}" required`
  return html`<label>${label} ${renderControl({ name: 'size', type: 'number', value, attributes })}</label>`
}

/** Parses the width of images. Returns undefined if it is invalid. */
export function parseSize(text: string): number | undefined {
  const pixels = /^\d{3,4}$/.test(text) ? Number(text) : 0
  return pixels >= MIN_SIZE && pixels <= MAX_SIZE ? pixels : undefined
}

/**
 * Converts `#rrggbb` to the stored form.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function toRgb(field: string, color: string): string {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color)?.slice(1)
  if (!digits) throw invalid(field, 'color_hex')
  return `rgb(${digits.map((pair) => Number.parseInt(pair, 16)).join(',')})`
}

/** Converts a stored color to `#rrggbb`. */
export function toHex(color: string): string {
  const channels = color.match(/\d+/g) ?? []
  return `#${channels.map((each) => Number(each).toString(16).padStart(2, '0')).join('')}`
}

function renderStyleForm(path: string, style: Style, kept: readonly Parameter[]): SafeHtml {
  const renderColor = (name: 'foreground' | 'background') =>
    html`<label>${t(`code.ofLink.${name}`)} ${renderControl({ name, type: 'color', value: style[name] })}</label>`
  return html`<form method="get" action="${path}#code" class="choice">
${kept.map(([name, value]) => renderHidden({ [name]: value }))}
${renderColor('foreground')}
${renderColor('background')}
${renderSizeInput(style.size, t('code.ofLink.size'))}
<button class="button quiet">${t('code.ofLink.apply')}</button>
</form>`
}

/** Returns the style in a URL, with defaults. */
function readStyle(query: Query): Style {
  const read = (name: keyof Style) => {
    const value = query[name]
    return typeof value === 'string' && value !== '' ? value : DEFAULTS[name]
  }
  return { foreground: read('foreground'), background: read('background'), size: read('size') }
}

/** @throws AppError `invalid_input` naming `foreground`, `background` or `size` */
function parseStyle(style: Style) {
  const foreground = toRgb('foreground', style.foreground)
  const background = toRgb('background', style.background)
  checkColors(foreground, background)
  const size = parseSize(style.size)
  if (size === undefined) {
    throw invalid('size', 'whole_number_range', { min: MIN_SIZE, max: MAX_SIZE })
  }
  return { foreground, background, size }
}

function findStyleError(style: Style): string | undefined {
  try {
    parseStyle(style)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return describeLabeledError(error, (field) => findText('code.ofLink', field))
  }
}

/** Returns a style as URL parameters, without defaults. */
function listStyleParameters(style: Style): Parameter[] {
  const names = ['foreground', 'background', 'size'] as const
  return names
    .filter((name) => style[name] !== DEFAULTS[name])
    .map((name): Parameter => [name, style[name]])
}
