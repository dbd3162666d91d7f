import { html, type SafeHtml } from '@remix-run/html-template'
import { safeHref } from './safe-url.ts'

/** What the owner of a link says about it; `image` is the URL of a jpg or png. */
export type Meta = { title?: string; description?: string; image?: string }

/**
 * The description, Open Graph (ogp.me) and Twitter Card tags of a page. Values that are missing or
 * empty give no tag, and so does an image that is not an http or https URL. `url` is the address
 * that a preview shall link to.
 */
export function metaTags({ title, description, image }: Meta, url?: string): SafeHtml {
  const picture = image && safeHref(image) !== '#' ? safeHref(image) : undefined
  const address = url && safeHref(url) !== '#' ? safeHref(url) : undefined
  return html`${named('description', description)}
<meta property="og:type" content="website">
${property('og:title', title)}
${property('og:description', description)}
${property('og:image', picture)}
${property('og:url', address)}
${named('twitter:card', picture ? 'summary_large_image' : 'summary')}
${named('twitter:title', title)}
${named('twitter:description', description)}
${named('twitter:image', picture)}`
}

/**
 * A refresh that leads to `target` as soon as the page, images included, has loaded; nothing when
 * the target is not an http or https URL. By the HTML standard a browser takes the rest of the
 * value as the URL unless that begins with a quote, and a serialised URL begins with its scheme,
 * so no quoting is needed and a `;` or `'` in the URL is harmless.
 */
export function refresh(target: string): SafeHtml | null {
  const href = safeHref(target)
  return href === '#' ? null : html`<meta http-equiv="refresh" content="0;url=${href}">`
}

function named(name: string, content: string | undefined): SafeHtml | null {
  return content ? html`<meta name="${name}" content="${content}">` : null
}

function property(name: string, content: string | undefined): SafeHtml | null {
  return content ? html`<meta property="${name}" content="${content}">` : null
}
