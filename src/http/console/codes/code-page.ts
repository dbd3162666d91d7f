import { html, type SafeHtml } from '@remix-run/html-template'
import { t, tHtml } from '../../../texts.ts'
import { type Analytics, listAnalyticsKeys, renderAnalyticsSection } from '../analytics/section.ts'
import { renderCopyable } from '../kit/parts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { type CodeContent, renderCodeContent } from './parts.ts'

export type CodePage = {
  code: {
    id: number
    name: string
    /** The formatted time of creation. */
    createdAt: string
    /** The id of the account's link that the code encodes, if it encodes one. */
    linkId: number | undefined
  }
  content: CodeContent
  /** The encoded text. */
  payload: string
  /** The path of the image, without its extension. */
  imagePath: string
  /** The name of downloaded images, without their extension. */
  fileName: string
  /** The requested width of downloaded images in pixels, its limits, and its error. */
  size: { value: string; min: number; max: number; error?: string | undefined }
  /** The statistics of scans. Undefined for static codes, whose scans cannot be counted. */
  analytics: Analytics | undefined
}

const SECTION = '/console/codes'

/** Renders a QR code: its image, downloads, content and scans. */
export function renderCodePage(frame: Frame, page: CodePage): string {
  const { code, content, payload, analytics } = page
  const path = `${SECTION}/${code.id}`
  return renderConsolePage(frame, {
    title: code.name,
    section: SECTION,
    keys: analytics ? listAnalyticsKeys() : [],
    body: html`<p class="eyebrow"><a href="${SECTION}">${t('code.title')}</a></p>
<div class="head"><h1><bdi>${code.name}</bdi></h1><p class="actions"><a class="button small" href="${path}/edit" data-key="E" aria-keyshortcuts="E">${t('code.edit')}</a> <a class="button quiet small" href="#picture">${t('code.image')}</a> <a class="button quiet small" href="${path}/delete">${t('code.delete')}</a></p></div>
${analytics ? renderAnalyticsSection(frame, analytics) : null}
<div class="beside">
${renderImagePanel(page, path)}
<section class="panel" aria-labelledby="content">
<h2 id="content">${t('code.whenScanned')}</h2>
${renderCodeContent(content)}
${content.shortUrl ? html`<p>${renderCopyable({ id: 'short', href: content.shortUrl })}</p>` : html`<details><summary>${t('code.encodedText')}</summary><pre class="scroll">${payload}</pre></details>`}
${code.linkId === undefined ? null : html`<p class="small">${tHtml('code.countsForLink', { link: html`<a href="/console/links/${code.linkId}">${t('code.yourLink')}</a>` })}</p>`}
<p class="small soft">${t('code.created', { date: code.createdAt })}</p>
</section>
</div>
${analytics ? null : html`<section class="panel" aria-label="${t('code.scans')}"><p class="soft">${t('code.untracked')}</p></section>`}`,
  })
}

/** Renders the image with its downloads. `path` is the path of the code's page. */
function renderImagePanel({ imagePath, fileName, size }: CodePage, path: string): SafeHtml {
  const query = size.error === undefined ? `?size=${size.value}` : ''
  return html`<section class="panel code" aria-labelledby="picture">
<h2 id="picture">${t('code.ofLink.title')}</h2>
<img src="${imagePath}.svg" width="240" alt="${t('code.preview.alt')}">
<form method="get" action="${path}" class="choice">
<label>${t('code.size')} <input type="number" name="size" min="${size.min}" max="${size.max}" value="${size.value}" required></label>
<button class="button quiet">${t('code.apply')}</button>
</form>
${size.error ? html`<p class="error" role="alert">${size.error}</p>` : null}
<p class="actions"><a class="button small" href="${imagePath}.png${query}" download="${fileName}.png">${t('code.downloadPng')}</a> <a class="button quiet small" href="${imagePath}.svg${query}" download="${fileName}.svg">${t('code.downloadSvg')}</a> <a class="button quiet small" href="${imagePath}.pdf${query}" download="${fileName}.pdf">${t('code.downloadPdf')}</a></p>
</section>`
}
