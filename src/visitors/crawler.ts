import { createIsbotFromList, list } from 'isbot'
import { memo } from '../concurrency/memo.ts'
import { findToolFamily } from './http-tools.ts'
import { truncateUserAgent } from './user-agent.ts'

/**
 * Patterns of isbot that are not used here, because they also match clients that a person may be
 * using, whose clicks must be counted. They match command-line tools and HTTP libraries, automated
 * browsers (headless, PhantomJS, Playwright …), download managers, any text of the form `name/1.0`,
 * and common words.
 */
export const excludedPatterns: ReadonlySet<string> = new Set([
  ';\\s\\w+;$',
  '\\(\\)',
  '\\b\\w+/1\\.0;',
  '\\|',
  '^[<\\(;]',
  '^[\\w \\.\\-\\(?:\\):%]+(?:/v?\\d+(?:\\.\\d+)?(?:\\.\\d{1,10})*?)?(?:,|$)',
  '^[\\w\\-]+/[\\w]+$',
  '^[^ ]{50,}$',
  '^\\d+\\b',
  '^\\w+/[\\w\\(\\)]*$',
  '^\\w+/\\d\\.\\d\\s\\([\\w@]+\\)$',
  '^mozilla/\\d\\.\\d\\s[\\w\\.-]+$',
  '^mozilla/\\d\\.\\d\\s\\((?:compatible;)?(?:\\s?[\\w\\d-.]+[\\s/]\\d+\\.\\d+)?\\)$',
  '(?<!lib)http',
  '\\bperl\\b',
  '^jetty/',
  '^microsoft bits',
  '^php',
  '^postman',
  '^python',
  '^rest',
  '^svn',
  '^wget',
  'java(?!;)',
  'node\\b',
  'library',
  'synapse',
  'headless',
  'phantomjs',
  'playwright',
  'selenium',
  'cypress/',
  'cursor/',
  '^getright/',
  '^gozilla/',
  '^igetter/',
  '^zdm/\\d',
  'download',
  'torrent',
  '^amaya',
  '^netsurf',
  'browsex',
  'offbyone',
  '^client/',
  '^custom',
  '^active',
  'agent\\b',
  'server',
  'tools',
  'url',
])

/**
 * Patterns added to those of isbot: a URL, by which crawlers identify their owner, and names that
 * only the excluded pattern `agent\b` would match.
 */
const addedPatterns = ['https?://', 'scrapy', 'external(?:agent|fetcher|hit|ads)']

/** Matches words that identify a crawler even if the User-Agent starts with a tool's name. */
const crawlerWordPattern = /bots?\b|crawl|spider|scrap(?:er|y|ing)|preview/i

/** Matches clients that fetch link previews. Apps are recognized by the start of the User-Agent. */
const previewBotPattern = new RegExp(
  [
    'facebookexternalhit',
    'facebookcatalog',
    'facebot',
    'meta-externalfetcher',
    'twitterbot',
    'slackbot',
    'slack-imgproxy',
    'discordbot',
    'telegrambot',
    'linkedinbot',
    'pinterestbot',
    'skypeuripreview',
    'microsoftpreview',
    'bingpreview',
    'redditbot',
    'bluesky cardyb',
    'google-pagerenderer',
    'google-read-aloud',
    'embedly',
    'iframely',
    'vkshare',
    'okhttp-vkbot',
    'line-poker',
    'kakaotalk-scrap',
    'flipboardproxy',
    'quora link preview',
    'zulipurlpreview',
    'summalybot',
    'xing-contenttabreceiver',
    'viberbot',
    'notionembedder',
    'tumblr/',
    'discourse forum onebox',
    'chatwork linkpreview',
    'link ?preview',
    'url ?preview',
    '^whatsapp',
    '^pinterest/',
    '^viber',
    '^snapchat',
    '^synapse \\(bot',
    '^snap url preview',
    '^(?:mastodon|pleroma|akkoma|friendica|misskey|lemmy)/',
    'http\\.rb/.*mastodon/',
  ].join('|'),
  'i',
)

const isNamedCrawler = createIsbotFromList([
  ...list.filter((pattern) => !excludedPatterns.has(pattern)),
  ...addedPatterns,
])

/**
 * Returns whether a client identifies itself as a crawler, monitor or preview bot. Its visits do
 * not count as clicks. Tools, HTTP libraries, headless browsers, unknown names and an empty
 * User-Agent count as people. Results are cached.
 */
export function isCrawler(userAgent: string): boolean {
  return isCrawlerCached(truncateUserAgent(userAgent))
}

const isCrawlerCached = memo(
  (userAgent) => !isTool(userAgent) && (isLinkPreviewBot(userAgent) || isNamedCrawler(userAgent)),
  5_000,
)

/** Returns whether a client fetches links to show previews. All such clients are crawlers. */
export function isLinkPreviewBot(userAgent: string): boolean {
  return isPreviewBotCached(truncateUserAgent(userAgent))
}

const isPreviewBotCached = memo((userAgent) => previewBotPattern.test(userAgent), 5_000)

type Headers = { readonly [name: string]: string | readonly string[] | undefined }

/**
 * Returns whether a browser is prefetching. It then sends `Sec-Purpose: prefetch` (Fetch standard,
 * also `prefetch;prerender`), or the older `Purpose` or `X-Moz`.
 */
export function isPrefetch(headers: Headers): boolean {
  const { 'sec-purpose': secPurpose, purpose, 'x-moz': xMoz } = headers
  // Almost every visit has none of these headers.
  if (secPurpose === undefined && purpose === undefined && xMoz === undefined) return false
  return [secPurpose, purpose, xMoz]
    .flatMap((value) => value ?? [])
    .some((value) => /(?:^|[\s,;])prefetch(?:$|[\s,;])/i.test(value))
}

function isTool(userAgent: string): boolean {
  return findToolFamily(userAgent) !== undefined && !crawlerWordPattern.test(userAgent)
}
