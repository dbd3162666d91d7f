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

const previewBots = [
  'facebookexternalhit',
  'Twitterbot',
  'LinkedInBot',
  'Slackbot',
  'Discordbot',
  'TelegramBot',
  'WhatsApp',
  'Pinterestbot',
  'redditbot',
  'Mastodon',
  'Bluesky',
]
