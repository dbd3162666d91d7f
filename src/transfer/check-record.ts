import { type HostMatcher, LEADS_TO_BLOCKED_HOST } from '../blocked-hosts/blocked-host.ts'
import { memo } from '../concurrency/memo.ts'
import type { Hosts } from '../domains/hosts.ts'
import { normalizeHost } from '../domains/hosts.ts'
import { AppError, invalid } from '../errors.ts'
import type { LinkValues } from '../links/insert-links.queries.ts'
import { parseAlias } from '../links/rules/alias.ts'
import {
  boundedText,
  MAX_DESCRIPTION,
  MAX_PARAMETER_NAME,
  MAX_PARAMETER_VALUE,
  MAX_PARAMETERS,
  MAX_TITLE,
} from '../links/rules/lengths.ts'
import { parseTargets } from '../links/targets.ts'
import { parseTags, type Tag } from '../tags/tag.ts'
import { parseTargetUrl } from '../target-url.ts'
import { countryCode } from '../visitors/country-names.ts'
import { languageTarget } from '../visitors/language.ts'
import { deviceTarget } from '../visitors/user-agent.ts'
import { type History, readHistory } from './history.ts'
import { parsePasswordHash } from './password-hash.ts'
import { parseMoment } from './read/moment.ts'
import type { LinkRecord } from './record.ts'

/** A link that may be stored, and by which name its source knows it. */
export type CheckedLink = {
  values: LinkValues
  /** The source's own domain, '' where it names none, and alias. */
  key: { domain: string; alias: string }
  tags: readonly Tag[]
  history: History | undefined
  /** The hosts of all its targets, normalised, each with the field that names it. */
  leadsTo: ReadonlyMap<string, string>
  /** Whether its source adds the visitor's query to its target. */
  forwardsQuery: boolean
  /** All its targets. */
  destinations: ReadonlySet<string>
}

/** Where links go. */
export type Destination = {
  accountId: number
  /** The account's domains by their hosts. */
  domains: ReadonlyMap<string, number>
  /** Where links go whose own domain is none of these: a domain, or null for the service's own host. */
  otherwise: number | null
  /** Whether a link of a domain that is none of these is refused instead. */
  strict: boolean
}

type Dependencies = {
  hosts: Pick<Hosts, 'isService'>
  blocked: Pick<HostMatcher, 'blocks'>
  now: Date
}

const OLDEST = Date.UTC(1990, 11, 20)
const LATEST = Date.UTC(9999, 11, 31)
const DAY = 86_400_000
/** Most links of a file lead to few hosts. */
const normalizeTargetHost = memo(normalizeHost, 10_000)

/**
 * Holds a record against the rules of new links, apart from two: it may have ended already, and it may
 * have been made long ago. Whether it leads to a branded domain is asked for many at once, by
 * `requireForeign`.
 *
 * @throws AppError `invalid_input` naming the field
 */
export async function checkRecord(
  record: LinkRecord,
  destination: Destination,
  dependencies: Dependencies,
): Promise<CheckedLink> {
  const { now } = dependencies
  const leadsTo = new Map<string, string>()
  const destinations = new Set<string>()
  const check = (field: string, url: string) => {
    const href = checkUrl(field, url, dependencies, leadsTo)
    destinations.add(href)
    return href
  }
  const alias = parseAlias('alias', record.alias)
  const url = check('url', record.url)
  const made = record.createdAt ? readMoment('createdAt', record.createdAt) : now
  if (made.getTime() < OLDEST || made.getTime() > now.getTime() + DAY) {
    throw invalid('createdAt', 'must be a moment of the past')
  }
  const createdAt = new Date(Math.min(made.getTime(), now.getTime()))
  const expiresAt = record.expiresAt ? readMoment('expiresAt', record.expiresAt) : null
  if (expiresAt && expiresAt.getTime() > LATEST) throw invalid('expiresAt', 'is too far ahead')
  return {
    key: { domain: record.domain ?? '', alias: record.alias },
    tags: parseTags('tags', record.tags ?? []),
    history: readHistory(record, createdAt, now),
    leadsTo,
    forwardsQuery: record.forwardsQuery ?? false,
    destinations,
    values: {
      account_id: destination.accountId,
      domain_id: domainOf(record, destination, dependencies),
      alias,
      url,
      status: record.disabled ? 'disabled' : 'active',
      redirect: record.type ?? 'direct',
      splash_id: null,
      overlay_id: null,
      password_hash: record.password ? parsePasswordHash(record.password) : null,
      expires_at: expiresAt,
      created_at: createdAt,
      meta_title: textOrNull('title', record.title, MAX_TITLE),
      meta_description: textOrNull('description', record.description, MAX_DESCRIPTION),
      meta_image: record.image ? parseTargetUrl('image', record.image).href : null,
      parameters: readParameters(record),
      ...(hasTargets(record) && (await readTargets(record, check))),
    },
  }
}

/** @throws AppError `invalid_input` naming the field that leads to a branded domain of anybody */
export function requireForeign(
  { leadsTo }: Pick<CheckedLink, 'leadsTo'>,
  branded: ReadonlySet<string>,
): void {
  if (branded.size === 0) return
  for (const [host, field] of leadsTo) if (branded.has(host)) throw leadsToService(field)
}

/** What is wrong with a row, in words. */
export function problemOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  throw error
}

function checkUrl(
  field: string,
  value: string,
  { hosts, blocked }: Dependencies,
  leadsTo: Map<string, string>,
): string {
  const url = parseTargetUrl(field, value)
  const host = normalizeTargetHost(url.host)
  if (hosts.isService(host)) throw leadsToService(field)
  if (blocked.blocks(url)) throw invalid(field, LEADS_TO_BLOCKED_HOST)
  if (!leadsTo.has(host)) leadsTo.set(host, field)
  return url.href
}

function leadsToService(field: string): AppError {
  return invalid(field, 'must not lead to the short-link service itself')
}

function domainOf(
  { domain }: LinkRecord,
  { domains, otherwise, strict }: Destination,
  { hosts }: Dependencies,
): number | null {
  if (!domain) return otherwise
  const host = normalizeHost(domain)
  const own = domains.get(host)
  if (own !== undefined) return own
  if (strict && !hosts.isService(host)) {
    throw invalid('domain', `is not a domain of this account: ${domain.slice(0, 64)}`)
  }
  return otherwise
}

function readMoment(field: string, value: string): Date {
  const moment = parseMoment(value)
  if (!moment) throw invalid(field, `is not a date that can be read: ${value.slice(0, 64)}`)
  return moment
}

function readParameters({ parameters }: LinkRecord): string {
  if (!parameters || parameters.length === 0) return '[]'
  if (parameters.length > MAX_PARAMETERS) {
    throw invalid('parameters', `must have at most ${MAX_PARAMETERS} entries`)
  }
  const read = parameters.map(({ name, value }, index) => ({
    name: boundedText(`parameters[${index}].name`, name, MAX_PARAMETER_NAME),
    value: boundedText(`parameters[${index}].value`, value, MAX_PARAMETER_VALUE),
  }))
  return JSON.stringify(read.filter(({ name }) => name !== ''))
}

/** An empty text is none. */
function textOrNull(field: string, value: string | undefined, max: number): string | null {
  return value ? boundedText(field, value, max) : null
}

function hasTargets({ geoTargets, deviceTargets, languageTargets }: LinkRecord): boolean {
  return [geoTargets, deviceTargets, languageTargets].some((list) => list && list.length > 0)
}

async function readTargets(record: LinkRecord, check: (field: string, url: string) => string) {
  const { geoTargets = [], deviceTargets = [], languageTargets = [] } = record
  const geo = { nameField: 'location', canonical: countryCode } as const
  const device = { nameField: 'device', canonical: deviceTarget } as const
  const language = { nameField: 'language', canonical: languageTarget } as const
  const read = { checkUrl: async (field: string, url: string) => check(field, url) }
  return {
    geo_targets: JSON.stringify(
      await parseTargets(geoTargets, { ...geo, ...read, field: 'geoTargets' }),
    ),
    device_targets: JSON.stringify(
      await parseTargets(deviceTargets, { ...device, ...read, field: 'deviceTargets' }),
    ),
    language_targets: JSON.stringify(
      await parseTargets(languageTargets, { ...language, ...read, field: 'languageTargets' }),
    ),
  }
}
