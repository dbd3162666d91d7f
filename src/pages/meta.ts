import { html, type SafeHtml } from '@remix-run/html-template'
import { safeHref } from './safe-url.ts'

/** The meta tags of a link. `image` is the URL of a JPEG or PNG. */
export type Meta = { title?: string; description?: string; image?: string }

/**
 * Renders a page's description, Open Graph (ogp.me) tags and Twitter Card tags. Skips empty values,
 * and images and URLs that are not http or https. `url` is the URL to which a preview links.
 */
export function metaTags({ title, description, image }: Meta, url?: string): SafeHtml {
  const imageUrl = image && safeHref(image) !== '#' ? safeHref(image) : undefined
  const pageUrl = url && safeHref(url) !== '#' ? safeHref(url) : undefined
  return html`${nameTag('description', description)}
<meta property="og:type" content="website">
${propertyTag('og:title', title)}
${propertyTag('og:description', description)}
${propertyTag('og:image', imageUrl)}
${propertyTag('og:url', pageUrl)}
${nameTag('twitter:card', imageUrl ? 'summary_large_image' : 'summary')}
${nameTag('twitter:title', title)}
${nameTag('twitter:description', description)}
${nameTag('twitter:image', imageUrl)}`
}

/**
 * Renders a redirect to `url` that runs after the page and its images have loaded. Renders
 * nothing unless `url` is an http or https URL. A value that does not start with a quote is read
 * as a URL to its end (HTML standard). A serialized URL starts with its scheme, so it needs no
 * quotes, and `;` or `'` in it are harmless.
 */
export function refreshTag(url: string): SafeHtml | null {
  const href = safeHref(url)
  return href === '#' ? null : html`<meta http-equiv="refresh" content="0;url=${href}">`
}

function nameTag(name: string, content: string | undefined): SafeHtml | null {
  return content ? html`<meta name="${name}" content="${content}">` : null
}

function propertyTag(name: string, content: string | undefined): SafeHtml | null {
  return content ? html`<meta property="${name}" content="${content}">` : null
}
