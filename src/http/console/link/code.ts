import { html, type SafeHtml } from '@remix-run/html-template'

export type CodeForm = {
  /** Where the form leads: the page itself. */
  action: string
  /** What else its address says. */
  kept: readonly (readonly [string, string])[]
  foreground: string
  background: string
  size: string
  error?: string | undefined
  /** The addresses of the pictures. */
  picture: string
  png: string
  svg: string
}

/** The link's QR code, how it looks, and the files of it. */
export function codePanel({ action, kept, error, picture, png, svg, ...form }: CodeForm): SafeHtml {
  return html`<section class="panel code" aria-labelledby="code">
<h2 id="code" tabindex="-1">QR code</h2>
<div class="code-columns">
<img src="${picture}" width="220" height="220" alt="QR code of the short link" data-code>
<div>
<form method="get" action="${action}#code" class="choice">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label>Foreground <input type="color" name="foreground" value="${form.foreground}"></label>
<label>Background <input type="color" name="background" value="${form.background}"></label>
<label>Size (px) <input type="number" name="size" min="100" max="2000" value="${form.size}" required></label>
<button class="button quiet">Apply</button>
</form>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
<p class="actions"><a class="button small" href="${png}" download>Download PNG</a> <a class="button quiet small" href="${svg}" download>Download SVG</a></p>
</div>
</div>
</section>`
}
