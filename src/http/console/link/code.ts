import { html, type SafeHtml } from '@remix-run/html-template'
import { codeMessages as messages } from '../codes/messages.ts'

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
  const texts = messages.ofLink
  const files = saved ? listFiles(`/qr/${saved.alias}`) : code
  return html`<section class="panel code" aria-labelledby="code">
<h2 id="code" tabindex="-1">${texts.title}</h2>
<div class="code-columns">
<img src="${saved ? files.svg : code.image}" width="220" alt="${texts.alt}" data-code>
<div>
${saved ? null : renderColorForm(code)}
<p class="actions"><a class="button small" href="${files.png}" download>${messages.downloadPng}</a> <a class="button quiet small" href="${files.svg}" download>${messages.downloadSvg}</a> <a class="button quiet small" href="${files.pdf}" download>${messages.downloadPdf}</a></p>
<p class="actions"><a class="button quiet small" href="${saved ? `/console/codes/${saved.id}/edit` : `/console/codes/new?link=${id}`}">${saved ? texts.edit : texts.customize}</a></p>
</div>
</div>
</section>`
}

function listFiles(path: string) {
  return { png: `${path}.png?size=600`, svg: `${path}.svg`, pdf: `${path}.pdf` }
}

function renderColorForm({ action, kept, error, ...form }: CodeForm): SafeHtml {
  const texts = messages.ofLink
  return html`<form method="get" action="${action}#code" class="choice">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label>${texts.foreground} <input type="color" name="foreground" value="${form.foreground}"></label>
<label>${texts.background} <input type="color" name="background" value="${form.background}"></label>
<label>${texts.size} <input type="number" name="size" min="100" max="2000" value="${form.size}" required></label>
<button class="button quiet">${texts.apply}</button>
</form>
${error ? html`<p class="error" role="alert">${error}</p>` : null}`
}
