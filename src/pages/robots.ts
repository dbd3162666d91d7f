import { BOT_NAMES } from '../visitors/bot-names.ts'

/**
 * Returns the robots.txt (RFC 9309). Search engines may index the service's own pages and public
 * bio pages, but may not follow or index short links. Preview bots obey this file too. They may
 * open links, because links have meta tags for previews.
 */
export function robotsTxt(): string {
  return `User-agent: *
Allow: /$
Allow: /docs
Allow: /register$
Allow: /b/
Allow: /favicon.svg$
Disallow: /

${previewBots.map((name) => `User-agent: ${name}\n`).join('')}Disallow: /api/
Disallow: /docs
`
}

/** The names that are product tokens (RFC 9309, section 2.2.1). */
const previewBots = BOT_NAMES.preview
  .map((name) => name.replace(/^\^|\/$/g, ''))
  .filter((name) => /^[a-z_-]+$/i.test(name))
