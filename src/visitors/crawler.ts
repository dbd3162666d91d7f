import { createIsbotFromList, list } from 'isbot'
import { memo } from '../concurrency/memo.ts'
import { toolFamily } from './http-tools.ts'
import { cutUserAgent } from './user-agent.ts'

/**
 * isbot's patterns that do not name a crawler and are left out: guesses from the shape of the text
 * (every `name/1.0` would be one), command-line tools and HTTP libraries, browsers under automation
 * (headless, PhantomJS, Playwright …), download managers, and words too common to mean anything.
 */
export const patternsLeftOut: ReadonlySet<string> = new Set([
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
  ...['(?<!lib)http', '\\bperl\\b', '^jetty/', '^microsoft bits', '^php', '^postman', '^python'],
  ...['^rest', '^svn', '^wget', 'java(?!;)', 'node\\b', 'library', 'synapse'],
  ...['headless', 'phantomjs', 'playwright', 'selenium', 'cypress/', 'cursor/'],
  ...['^getright/', '^gozilla/', '^igetter/', '^zdm/\\d', 'download', 'torrent'],
  ...['^amaya', '^netsurf', 'browsex', 'offbyone'],
  ...['^client/', '^custom', '^active', 'agent\\b', 'server', 'tools', 'url'],
])

/** A URL in the User-Agent is how crawlers say who sent them; the names are lost with `agent\b`. */
const patternsAdded = ['https?://', 'scrapy', 'external(?:agent|fetcher|hit|ads)']

/** What says "crawler" even where a tool's name comes first. */
const crawlerWord = /bots?\b|crawl|spider|scrap(?:er|y|ing)|preview/i

/** Clients that fetch a link to show a card for it, and the apps' own fetchers by their first word. */
const previewBot = new RegExp(
  [
    ...['facebookexternalhit', 'facebookcatalog', 'facebot', 'meta-externalfetcher', 'twitterbot'],
    ...['slackbot', 'slack-imgproxy', 'discordbot', 'telegrambot', 'linkedinbot', 'pinterestbot'],
    ...['skypeuripreview', 'microsoftpreview', 'bingpreview', 'redditbot', 'bluesky cardyb'],
    ...[
      'google-pagerenderer',
      'google-read-aloud',
      'embedly',
      'iframely',
      'vkshare',
      'okhttp-vkbot',
    ],
    ...['line-poker', 'kakaotalk-scrap', 'flipboardproxy', 'quora link preview', 'zulipurlpreview'],
    ...['summalybot', 'xing-contenttabreceiver', 'viberbot', 'notionembedder', 'tumblr/'],
    ...['discourse forum onebox', 'chatwork linkpreview', 'link ?preview', 'url ?preview'],
    ...['^whatsapp', '^pinterest/', '^viber', '^snapchat', '^synapse \\(bot', '^snap url preview'],
    ...['^(?:mastodon|pleroma|akkoma|friendica|misskey|lemmy)/', 'http\\.rb/.*mastodon/'],
  ].join('|'),
  'i',
)

const isNamedCrawler = createIsbotFromList([
  ...list.filter((pattern) => !patternsLeftOut.has(pattern)),
  ...patternsAdded,
])

/**
 * Whether a client names itself as a crawler, a monitor or a link-preview bot; its visits are no
 * clicks. Tools and HTTP libraries count as people, and so do an empty User-Agent, names nobody knows
 * and headless browsers: those say how a page is fetched, not that it is crawled. Repeated User-Agents
 * cost one look-up.
 */
export function isCrawler(userAgent: string): boolean {
  return isCrawlerOf(cutUserAgent(userAgent))
}

const isCrawlerOf = memo(
  (key) => (isTool(key) ? false : isLinkPreviewBot(key) || isNamedCrawler(key)),
  5_000,
)

/** Whether a client fetches links in order to show a preview of them; such a client is a crawler. */
export function isLinkPreviewBot(userAgent: string): boolean {
  return isPreviewBotOf(cutUserAgent(userAgent))
}

const isPreviewBotOf = memo((key) => previewBot.test(key), 5_000)

type Headers = { readonly [name: string]: string | readonly string[] | undefined }

/**
 * Whether a browser fetches ahead of the visitor's choice: `Sec-Purpose: prefetch` (Fetch standard,
 * also `prefetch;prerender`), and the older `Purpose` and `X-Moz`.
 */
export function isPrefetch(headers: Headers): boolean {
  const { 'sec-purpose': secPurpose, purpose, 'x-moz': xMoz } = headers
  // Nearly every visit: one without any of them.
  if (secPurpose === undefined && purpose === undefined && xMoz === undefined) return false
  return [secPurpose, purpose, xMoz]
    .flatMap((value) => value ?? [])
    .some((value) => /(?:^|[\s,;])prefetch(?:$|[\s,;])/i.test(value))
}

function isTool(userAgent: string): boolean {
  return toolFamily(userAgent) !== undefined && !crawlerWord.test(userAgent)
}
