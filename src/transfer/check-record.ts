import { type HostMatcher, LEADS_TO_BLOCKED_HOST } from '../blocked-hosts/blocked-host.ts'
import { memo } from '../concurrency/memo.ts'
import { parseDestinationUrl } from '../destination-url.ts'
import type { Hosts } from '../domains/hosts.ts'
import { normalizeHost } from '../domains/hosts.ts'
import { AppError, invalid, messageWith } from '../errors.ts'
import { createServiceUrlError } from '../links/destination.ts'
import {
  FIELD_NAMES,
  FIELDS,
  type FieldInput,
  type FieldName,
  readFields,
} from '../links/fields.ts'
import type { LinkRow } from '../links/insert-links.queries.ts'
import { parseAlias } from '../links/rules/alias.ts'
import { requireOrder } from '../links/rules/expiry.ts'
import { MAX_RULES } from '../links/rules/rule.ts'
import { MAX_TARGETS } from '../links/targets.ts'
import { parseTags, type Tag } from '../tags/tag.ts'
import { type History, readHistory } from './history.ts'
import { parsePasswordHash } from './password-hash.ts'
import { parseMoment } from './read/moment.ts'
import type { LinkRecord, SourceRow } from './record.ts'

/** A validated link, and its identity at the source. */
export type CheckedLink = {
  row: LinkRow
  /** The link's alias and domain at the source. `domain` is empty for the source's own domain. */
  key: { domain: string; alias: string }
  tags: readonly Tag[]
  history: History | undefined
  /** The normalized hosts of all destinations, with the name of the field that contains them. */
  targetHosts: ReadonlyMap<string, string>
  /** The number of used clicks, if the link has a limit. */
  usedClicks: number
  /** All destinations of the link. */
  destinations: ReadonlySet<string>
}

/** The domains on which imported links are created. */
export type TargetDomains = {
  accountId: number
  /** The account's domains by host. */
  domains: ReadonlyMap<string, number>
  /**
   * The domain for links on a domain that the account does not have. Null means the service's own
   * host.
   */
  defaultDomainId: number | null
  /** Whether links on a domain that the account does not have are rejected instead. */
  rejectsUnknownDomains: boolean
}

type Dependencies = {
  hosts: Pick<Hosts, 'isService'>
  blocked: Pick<HostMatcher, 'blocks'>
  now: Date
}

/** The range of accepted times. It starts with the date of the first web page. */
const OLDEST = Date.UTC(1990, 11, 20)
const LATEST = Date.UTC(9999, 11, 31)
const DAY_MS = 86_400_000
/** Cached because most links in a file lead to a few hosts. */
const normalizeTargetHost = memo(normalizeHost, 10_000)

/**
 * Validates a record like a new link, but accepts expired links. `rejectBrandedHosts` checks the
 * destinations against branded domains, which are looked up for many records at once.
 *
 * @throws AppError `invalid_input` naming the field
 */
export async function checkRecord(
  record: LinkRecord,
  targetDomains: TargetDomains,
  dependencies: Dependencies,
): Promise<CheckedLink> {
  const { now } = dependencies
  const targetHosts = new Map<string, string>()
  const destinations = new Set<string>()
  const createdAt = readCreation(record, now)
  const alias = parseAlias('alias', record.alias)
  const { url = '', ...columns } = await readFields(toFieldInput(record), {
    current: [],
    maxRules: MAX_RULES + 3 * MAX_TARGETS,
    readStart: readFutureMoment,
    readMoment: readFutureMoment,
    checkUrl(field, value) {
      const href = checkUrl(field, value, dependencies, targetHosts)
      destinations.add(href)
      return href
    },
    checkPage: () => {},
    hashPassword: parsePasswordHash,
  })
  requireOrder(columns.starts_at, columns.expires_at)
  const usedClicks = Math.min(record.usedClicks ?? 0, columns.max_clicks ?? 0)
  return {
    key: { domain: record.domain ?? '', alias: record.alias },
    tags: parseTags('tags', record.tags ?? []),
    history: readHistory(record, createdAt, now),
    targetHosts,
    destinations,
    usedClicks,
    row: {
      ...columns,
      ...(usedClicks > 0 && usedClicks === columns.max_clicks && { used_up_at: now }),
      account_id: targetDomains.accountId,
      domain_id: findDomainId(record, targetDomains, dependencies),
      alias,
      url,
      status: record.disabled ? 'disabled' : 'active',
      archived_at: record.archived ? now : null,
      created_at: createdAt,
    },
  }
}

/**
 * Target lists are views of the rules. A file with rules repeats some of them in these lists, but
 * not in their original order.
 */
const TARGET_LISTS: readonly FieldName[] = ['geoTargets', 'deviceTargets', 'languageTargets']

/**
 * Returns the fields of a record. Omits empty target lists, and all target lists if the record has
 * rules.
 */
function toFieldInput(record: LinkRecord): FieldInput {
  const input: Record<string, unknown> = { url: record.url }
  const hasRules = !isEmpty(record.rules)
  for (const name of FIELD_NAMES) {
    const isRepeated = hasRules && TARGET_LISTS.includes(name)
    if (!isRepeated && !isEmpty(record[name])) input[name] = record[name]
  }
  return input
}

function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (Array.isArray(value) && value.length === 0)
}

function readCreation({ createdAt }: LinkRecord, now: Date): Date {
  if (!createdAt) return now
  const moment = readMoment('createdAt', createdAt)
  if (moment.getTime() < OLDEST || moment.getTime() > now.getTime() + DAY_MS) {
    throw invalid('createdAt', 'must be in the past')
  }
  return new Date(Math.min(moment.getTime(), now.getTime()))
}

function readFutureMoment(field: string, value: string): Date {
  const moment = readMoment(field, value)
  if (moment.getTime() > LATEST) throw invalid(field, 'is too far in the future')
  return moment
}

/**
 * Rejects a link with a destination on a branded domain. @throws AppError `invalid_input` naming
 * the field
 */
export function rejectBrandedHosts(
  { targetHosts }: Pick<CheckedLink, 'targetHosts'>,
  branded: ReadonlySet<string>,
): void {
  if (branded.size === 0) return
  for (const [host, field] of targetHosts) if (branded.has(host)) throw createServiceUrlError(field)
}

/** The names of fields in files. */
const FILE_NAMES = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, FIELDS[name].file?.name ?? name]),
)

/**
 * Describes the error of a row, using the source's names of the fields. Throws the error itself if
 * it is not an AppError.
 */
export function describeProblem(
  error: unknown,
  { nameField }: Pick<SourceRow, 'nameField'>,
): string {
  if (!(error instanceof AppError)) throw error
  const { field, problem } = error
  return nameField && field !== undefined && problem !== undefined
    ? `${nameField(field)} ${problem}`
    : messageWith(FILE_NAMES, error)
}

function checkUrl(
  field: string,
  value: string,
  { hosts, blocked }: Dependencies,
  targetHosts: Map<string, string>,
): string {
  const url = parseDestinationUrl(field, value)
  const host = normalizeTargetHost(url.host)
  if (hosts.isService(host)) throw createServiceUrlError(field)
  if (blocked.blocks(url)) throw invalid(field, LEADS_TO_BLOCKED_HOST)
  if (!targetHosts.has(host)) targetHosts.set(host, field)
  return url.href
}

function findDomainId(
  { domain }: LinkRecord,
  { domains, defaultDomainId, rejectsUnknownDomains }: TargetDomains,
  { hosts }: Dependencies,
): number | null {
  if (!domain) return defaultDomainId
  const host = normalizeHost(domain)
  const ownDomainId = domains.get(host)
  if (ownDomainId !== undefined) return ownDomainId
  if (rejectsUnknownDomains && !hosts.isService(host)) {
    throw invalid('domain', `is not a domain of this account: ${domain.slice(0, 64)}`)
  }
  return defaultDomainId
}

function readMoment(field: string, value: string): Date {
  const moment = parseMoment(value)
  if (!moment) throw invalid(field, `is not a date that can be read: ${value.slice(0, 64)}`)
  return moment
}
