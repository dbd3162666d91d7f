/**
 * Returns the robots.txt (RFC 9309). Search engines may index the service's own pages and public
 * bio pages, but may not follow or index short links. Preview bots obey this file too. They may
 * open links, because links have meta tags for previews.
 */
export function robotsTxt(previewNames: readonly string[]): string {
  return `User-agent: *
Allow: /$
Allow: /docs
Allow: /register$
Allow: /b/
Allow: /favicon.svg$
Disallow: /

${listProductTokens(previewNames)
  .map((name) => `User-agent: ${name}\n`)
  .join('')}Disallow: /api/
Disallow: /docs
`
}

/** Returns the names that are product tokens (RFC 9309, section 2.2.1). */
function listProductTokens(names: readonly string[]): string[] {
  return names
    .map((name) => name.replace(/^\^|\/$/g, ''))
    .filter((name) => /^[a-z_-]+$/i.test(name))
}
