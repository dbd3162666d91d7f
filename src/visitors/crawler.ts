import { createIsbotFromList, list } from 'isbot'
import { memo } from '../concurrency/memo.ts'
import { BOT_NAMES, type BotKind } from './bot-names.ts'
import { createNameFinder, toPattern } from './bot-patterns.ts'
import { findToolFamily } from './http-tools.ts'
import { findProgramName } from './program-name.ts'
import { parseUserAgent, truncateUserAgent } from './user-agent.ts'

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

/** Matches words by which bots describe themselves, in any User-Agent. */
const botWordPattern =
  /\bbots?\b|crawl|spider|scrap(?:er|y|ing)|(?:link|url|uri)[ -]?preview|previewer|\bpinger|health-?check|uptime|\bfeed ?(?:reader|fetcher|parser)/i

/**
 * Matches words that also appear in browsers, and a product with the address of its owner:
 * `http.rb/5.1.1 (Product/1.0; +https://example.com/)`. They identify a bot whose User-Agent starts
 * with a tool's name.
 */
const botOnToolPattern =
  /bots?\b|preview|monitor|\bprobe|\([^()]*[\w.-]+\/[\w.+-]+[;,]? *\+?https?:/i

/** Matches a URL, by which crawlers identify their owner. */
const urlPattern = /https?:\/\//i

const isKnownToIsbot = createIsbotFromList(list.filter((pattern) => !excludedPatterns.has(pattern)))

/** The kind of a client by its User-Agent. Those of a bot are in `BOT_NAMES`. */
export type ClientKind = BotKind | 'tool' | 'person'

/** Names of bots by kind, in the form of `BOT_NAMES`. */
export type BotNames = Readonly<Partial<Record<BotKind, readonly string[]>>>

/** A client whose visits do not count, and the name by which it is listed. */
export type Robot = { kind: BotKind; name: string }

export type ClientClassifier = {
  /**
   * Classifies a client by its User-Agent. Names of bots come first, because many bots name the HTTP
   * library that they use. Headless browsers, unknown names and an empty User-Agent count as people.
   * Results are cached.
   */
  classify: (userAgent: string) => ClientKind
  /**
   * Returns whether a client identifies itself as a crawler, monitor or preview bot. Its visits do
   * not count as clicks. Tools and HTTP libraries count like people.
   */
  isCrawler: (userAgent: string) => boolean
  /**
   * Returns the kind and the name of a crawler, monitor or preview bot, or undefined for other clients.
   * The name is the one in the lists, or else the one that the client gives itself. Results are cached.
   */
  findRobot: (userAgent: string) => Robot | undefined
  /**
   * Returns the name of a program that is in no list and names no browser, whose visits count, or
   * undefined for other clients.
   */
  findProgram: (userAgent: string) => string | undefined
  /** Returns whether a client fetches links to show previews. All such clients are crawlers. */
  isLinkPreviewBot: (userAgent: string) => boolean
  /** The names of the clients that show previews. */
  previewNames: readonly string[]
}

/** The name of a robot that does not give itself one. */
const UNNAMED = 'Unknown'

/** Creates a classifier that knows the names in `BOT_NAMES` and these. */
export function createClientClassifier(own: BotNames = {}): ClientClassifier {
  const listNames = (kind: BotKind) => [...BOT_NAMES[kind], ...(own[kind] ?? [])]
  const patterns = (['preview', 'monitor', 'crawler'] as const).map(
    (kind) => [kind, toPattern(listNames(kind))] as const,
  )
  const classifyCached = memo<ClientKind>((userAgent) => {
    for (const [kind, pattern] of patterns) if (pattern.test(userAgent)) return kind
    return classifyUnnamed(userAgent)
  }, 5_000)
  const classify = (userAgent: string) => classifyCached(truncateUserAgent(userAgent))
  const finders = patterns.map(([kind]) => [kind, createNameFinder(listNames(kind))] as const)
  // The object lets `memo` also cache other clients.
  const findCached = memo((userAgent: string): { robot?: Robot } => {
    const kind = classify(userAgent)
    if (kind === 'tool' || kind === 'person') return {}
    const listed = finders.find(([each]) => each === kind)?.[1](userAgent)
    return { robot: { kind, name: listed ?? findProgramName(userAgent) ?? UNNAMED } }
  }, 5_000)
  return {
    classify,
    isCrawler(userAgent) {
      const kind = classify(userAgent)
      return kind !== 'tool' && kind !== 'person'
    },
    findRobot: (userAgent) => findCached(truncateUserAgent(userAgent)).robot,
    findProgram(userAgent) {
      const namesBrowser =
        parseUserAgent(userAgent).browser !== 'Unknown' ||
        /^Mozilla\/\d(?!.*\(compatible;)/i.test(userAgent)
      const isUnlisted = !namesBrowser && classify(userAgent) === 'person'
      return isUnlisted ? findProgramName(truncateUserAgent(userAgent)) : undefined
    },
    isLinkPreviewBot: (userAgent) => classify(userAgent) === 'preview',
    previewNames: listNames('preview'),
  }
}

/** Classifies a client without a name of `BOT_NAMES`. */
function classifyUnnamed(userAgent: string): ClientKind {
  if (botWordPattern.test(userAgent)) return /preview/i.test(userAgent) ? 'preview' : 'crawler'
  if (findToolFamily(userAgent) !== undefined) {
    return botOnToolPattern.test(userAgent) ? 'crawler' : 'tool'
  }
  return isKnownToIsbot(userAgent) || urlPattern.test(userAgent) ? 'crawler' : 'person'
}

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
