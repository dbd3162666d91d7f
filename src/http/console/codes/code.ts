import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { readLinkNames } from '../../../links/link-list.service.ts'
import { readPayload } from '../../../qr/content/read-payload.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import { deleteQrCode, getQrCode, listQrCodes } from '../../../qr/qr.service.ts'
import type { QrCode, QrDetails } from '../../../qr/qr.ts'
import { t, tAll, tHtml } from '../../../texts.ts'
import { addScanMarker } from '../../../urls/scan-marker.ts'
import { parseForms } from '../../request/multipart.ts'
import { listAnalyticsKeys, renderAnalyticsSection } from '../analytics/section.ts'
import { chooseStatus, loadAnalytics } from '../analytics/statistics.ts'
import { toCodeSubject } from '../analytics/subject.ts'
import { linkNameText, renderLinkName } from '../kit/link-name.ts'
import { renderCopyable, renderPanel, renderUntitledPanel } from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, type Page } from '../kit/subject.ts'
import {
  DEFAULT_SIZE,
  MAX_SIZE,
  MIN_SIZE,
  parseSize,
  renderDownloads,
  renderSizeInput,
} from '../link/code.ts'
import { registerListedResource, renderHead } from '../resources/list.ts'
import { formatCount, formatDate, formatMoment } from '../shell/format.ts'
import { findCode, registerCodeEditorRoutes } from './editor.ts'
import { registerCodePreviews, renderCodeContent } from './preview.ts'

const PATH = '/console/codes'
/** Slightly too large logos get an error at their field. Much larger bodies are rejected. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES

/** Creates the plugin with the pages of QR codes: list, details, create, edit, delete and preview. */
export function createCodeRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT)
    registerCodeList(app)
    registerCodePageRoutes(app, ctx)
    registerCodePreviews(app, ctx)
    registerCodeEditorRoutes(app, ctx)
  }
}

/** Registers the list of codes and the page that deletes one. */
function registerCodeList(app: FastifyInstance): void {
  registerListedResource(app, {
    section: PATH,
    words: () => tAll('code.words'),
    nameOf: ({ name }: QrCode) => name,
    columns: (zone) => [
      {
        head: t('code.list.code'),
        cell: ({ alias }) =>
          html`<img class="thumb" src="/qr/${alias}.svg?size=100" width="56" height="56" alt="" loading="lazy">`,
      },
      { head: t('code.type'), cell: ({ type }) => t(`code.types.${type}`) },
      {
        head: t('code.source.link'),
        cell: ({ id, shortUrl, linkTitle: metaTitle, linkId, usesAccountLink, hasOwnLink }) =>
          shortUrl === null
            ? t('code.list.noLink')
            : renderLinkName(
                { shortUrl, metaTitle },
                {
                  copyId: `cell-${id}-2`,
                  href: usesAccountLink && !hasOwnLink ? `/console/links/${linkId}` : undefined,
                },
              ),
      },
      {
        head: t('code.scans'),
        cell: ({ shortUrl, scans }) =>
          shortUrl === null ? t('code.list.notCounted') : formatCount(scans),
      },
      {
        head: t('code.list.created'),
        className: 'when',
        cell: ({ createdAt }) => formatDate(createdAt, zone),
      },
    ],
    hasDetailsPage: true,
    list: listQrCodes,
    get: getQrCode,
    remove: deleteQrCode,
  })
}

/** Registers a code's page. */
function registerCodePageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page } = defineSubject(app, PATH)

  page('/codes/:id', 'viewer', renderCode)

  async function renderCode(request: ConsoleRequest): Promise<Page> {
    const { account, user } = request.session
    const code = await findCode(ctx, request)
    const isTracked = code.linkId !== null
    const analytics = isTracked
      ? await loadAnalytics(ctx, request, toCodeSubject(account.id, code))
      : undefined
    const { size } = request.query
    const sizeText = typeof size === 'string' && size !== '' ? size : DEFAULT_SIZE
    const status = analytics ? chooseStatus(analytics) : 200
    const image = renderImage(code, sizeText)
    const { linkId, usesAccountLink } = code
    const names = await readLinkNames(request.scope, usesAccountLink && linkId ? [linkId] : [])
    const name = names.get(linkId ?? 0)
    const content = renderPanel(
      'content',
      t('code.whenScanned'),
      renderContent(code, name && linkNameText(name), user.timeZone),
    )
    const head = {
      section: PATH,
      id: code.id,
      many: t('code.words.many'),
      title: html`<h1><bdi>${code.name}</bdi></h1>`,
      jump: ['#picture', t('code.image')],
    } as const
    return {
      title: code.name,
      keys: [
        ['E', t('resource.edit'), `${PATH}/${code.id}/edit`],
        ...(analytics ? listAnalyticsKeys() : []),
      ],
      status: parseSize(sizeText) === undefined ? 422 : status,
      body: (frame) => html`${renderHead(frame, head)}
${analytics ? renderAnalyticsSection(frame, analytics, html`${image}${content}`) : html`<div class="beside">${image}${content}</div>`}
${analytics ? null : renderUntitledPanel(t('code.scans'), html`<p class="soft">${t('code.untracked')}</p>`)}`,
    }
  }
}

/** Renders the image with its downloads, whose width is `size`. */
function renderImage({ id, alias }: QrCode, size: string): SafeHtml {
  const isValid = parseSize(size) !== undefined
  const image = `/qr/${alias}`
  const query = isValid ? `?size=${size}` : ''
  return html`<section class="panel code" aria-labelledby="picture">
<h2 id="picture">${t('code.ofLink.title')}</h2>
<img src="${image}.svg" width="240" alt="${t('code.preview.alt')}">
<form method="get" action="${PATH}/${id}" class="choice">
${renderSizeInput(size, t('code.size'))}
<button class="button quiet">${t('code.apply')}</button>
</form>
${isValid ? null : html`<p class="error" role="alert">${t('code.sizeError', { min: MIN_SIZE, max: MAX_SIZE })}</p>`}
${renderDownloads((format) => `${image}.${format}${query}`, `qr-code-${id}`)}
</section>`
}

/** Renders what a code contains. `linkName` is the name of the account's link that counts its scans. */
function renderContent(code: QrDetails, linkName: string | undefined, zone: string): SafeHtml {
  const { type, content, linkId, createdAt } = code
  const encoded = content.kind === 'dynamic' ? content.destination : content.payload
  const shortUrl = code.shortUrl ?? undefined
  const link = html`<a href="/console/links/${linkId}"><bdi>${linkName}</bdi></a>`
  return html`${renderCodeContent({ type, parts: readPayload(type, encoded), shortUrl: code.hasOwnLink || !shortUrl ? shortUrl : addScanMarker(shortUrl) })}
${shortUrl ? html`<p>${renderCopyable({ id: 'short', href: shortUrl })}</p>` : html`<details><summary>${t('code.encodedText')}</summary><pre class="scroll">${encoded}</pre></details>`}
${linkName ? html`<p class="small">${tHtml('code.countsForLink', { link })}</p>` : null}
<p class="small soft">${t('code.created', { date: formatMoment(createdAt, zone) })}</p>`
}
