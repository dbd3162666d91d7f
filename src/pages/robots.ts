/**
 * The robots.txt (RFC 9309). Search engines may have the service's own pages and the public bio
 * pages; short links are not theirs to follow or list. The bots that draw link previews obey this
 * file too, and a preview is what the meta fields of a link are for, so they may open links.
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
