import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/** A QR code saved for the link. */
export type SavedCode = { id: number; alias: string }

export type CodeForm = {
  /** The id of the link. */
  id: number
  /** The URL that the form submits to, which is the page itself. */
  action: string
  /** The other parameters of the URL. */
  kept: readonly (readonly [string, string])[]
  foreground: string
  background: string
  size: string
  error?: string | undefined
  /** The URLs of the images. */
  image: string
  png: string
  svg: string
  pdf: string
  saved: SavedCode | undefined
}

/** Renders the link's QR code with its files: the saved one, or one in selected colors. */
export function renderCodePanel(code: CodeForm): SafeHtml {
  const { id, saved } = code
  const files = saved ? listFiles(`/qr/${saved.alias}`) : code
  return html`<section class="panel code" aria-labelledby="code">
<h2 id="code" tabindex="-1">${t('code.ofLink.title')}</h2>
<div class="code-columns">
<img src="${saved ? files.svg : code.image}" width="220" alt="${t('code.ofLink.alt')}" data-code>
<div>
${saved ? null : renderColorForm(code)}
<p class="actions"><a class="button small" href="${files.png}" download>${t('code.downloadPng')}</a> <a class="button quiet small" href="${files.svg}" download>${t('code.downloadSvg')}</a> <a class="button quiet small" href="${files.pdf}" download>${t('code.downloadPdf')}</a></p>
<p class="actions"><a class="button quiet small" href="${saved ? `/console/codes/${saved.id}/edit` : `/console/codes/new?link=${id}`}">${saved ? t('code.ofLink.edit') : t('code.ofLink.customize')}</a></p>
</div>
</div>
</section>`
}

function listFiles(path: string) {
  return { png: `${path}.png?size=600`, svg: `${path}.svg`, pdf: `${path}.pdf` }
}

function renderColorForm({ action, kept, error, ...form }: CodeForm): SafeHtml {
  return html`<form method="get" action="${action}#code" class="choice">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label>${t('code.ofLink.foreground')} <input type="color" name="foreground" value="${form.foreground}"></label>
<label>${t('code.ofLink.background')} <input type="color" name="background" value="${form.background}"></label>
<label>${t('code.ofLink.size')} <input type="number" name="size" min="100" max="2000" value="${form.size}" required></label>
<button class="button quiet">${t('code.ofLink.apply')}</button>
</form>
${error ? html`<p class="error" role="alert">${error}</p>` : null}`
}
