import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { memo } from '../concurrency/memo.ts'
import type { Hosts } from '../domains/hosts.ts'
import { AppError, invalid, type Problem, renameField, toProblem } from '../errors.ts'
import { createServiceUrlError } from '../links/destination.ts'
import { FIELD_NAMES, FIELDS, type FieldInput, type FieldName } from '../links/fields.ts'
import type { LinkRow } from '../links/insert-links.queries.ts'
import { readFields } from '../links/read-fields.ts'
import { requireOrder } from '../links/rules/expiry.ts'
import { MAX_RULES } from '../links/rules/rule.ts'
import { MAX_TARGETS } from '../links/targets.ts'
import { MAX_TAGS, parseTags, type Tag } from '../tags/tag.service.ts'
import { parseAlias } from '../urls/alias.ts'
import { isWebUrl, parseDestinationUrl } from '../urls/destination-url.ts'
import { normalizeHost } from '../urls/host.ts'
import { DECORATIONS } from './file-fields.ts'
import { type History, readHistory } from './history.ts'
import { parsePasswordHash } from './password-hash.ts'
import { findDateOrder, parseMoment, toEndOfDay } from './read/moment.ts'
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
  /** Values that the link loses, each with the reason. */
  notices: readonly Problem[]
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
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const DAY_MS = 86_400_000
/** Cached because most links in a file lead to a few hosts. */
const normalizeTargetHost = memo(normalizeHost, 10_000)

/**
 * Validates a record like a new link, but accepts expired links. Bad values that only decorate the
 * link are left out, with a notice in the source's names of the fields. `describeBrandedHost` checks the
 * destinations against branded domains, which are looked up for many records at once.
 *
 * @throws AppError `invalid_input` naming the field
 */
export async function checkRecord(
  { record, nameField }: { record: LinkRecord } & Pick<SourceRow, 'nameField'>,
  targetDomains: TargetDomains,
  dependencies: Dependencies,
): Promise<CheckedLink> {
  const { now } = dependencies
  const targetHosts = new Map<string, string>()
  const destinations = new Set<string>()
  const notices = [...(record.notices ?? [])]
  const note = (error: unknown) => notices.push(describeProblem(error, { nameField }))
  const createdAt = readCreation(record, now, note)
  const alias = parseAlias('alias', record.alias)
  const { url = '', ...columns } = await readDecorated(toFieldInput(record), note, {
    current: [],
    maxRules: MAX_RULES + 3 * MAX_TARGETS,
    readStart: readFutureMoment,
    readMoment: (field, value) => toEndOfDay(readFutureMoment(field, value), value),
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
    tags: readTags(record.tags ?? [], note),
    history: readClicks(record, createdAt, now, note),
    targetHosts,
    destinations,
    usedClicks,
    notices,
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

/** Reports a bad value that only decorates the link. */
type Note = (error: unknown) => void

/** Reads the fields of a link, without those that only decorate it and are bad. */
async function readDecorated(
  input: FieldInput,
  note: Note,
  rules: Parameters<typeof readFields>[1],
): ReturnType<typeof readFields> {
  try {
    return await readFields(input, rules)
  } catch (error) {
    const field = error instanceof AppError ? error.field : undefined
    if (field === undefined || !DECORATIONS.has(field)) throw error
    note(error)
    return readDecorated({ ...input, [field]: undefined }, note, rules)
  }
}

function readTags(names: readonly string[], note: Note): Tag[] {
  try {
    return parseTags('tags', names)
  } catch (error) {
    note(error)
    return parseTags('tags', names.filter(isTag).slice(0, MAX_TAGS))
  }
}

function isTag(name: string): boolean {
  try {
    return parseTags('tags', [name]).length > 0
  } catch {
    return false
  }
}

/** Reads the clicks of a record. Bad ones are left out: the last one, those by day, or all. */
function readClicks(
  record: LinkRecord,
  createdAt: Date,
  now: Date,
  note: Note,
): History | undefined {
  try {
    const history = readHistory(record, createdAt, now)
    if (!history && record.lastClickAt) readMoment('lastClickAt', record.lastClickAt)
    return history
  } catch (error) {
    note(error)
    const { lastClickAt: _, ...others } = record
    const isLastClick = error instanceof AppError && error.field === 'lastClickAt'
    if (isLastClick) return readClicks(others, createdAt, now, note)
    const { days, labels, ...total } = others
    const hasDetails = (days?.length ?? 0) > 0 || Object.keys(labels ?? {}).length > 0
    return hasDetails ? readClicks(total, createdAt, now, note) : undefined
  }
}

function readCreation({ createdAt }: LinkRecord, now: Date, note: Note): Date {
  if (!createdAt) return now
  try {
    const moment = readMoment('createdAt', createdAt)
    if (moment.getTime() < OLDEST || moment.getTime() > now.getTime() + DAY_MS) {
      throw invalid('createdAt', 'past')
    }
    return new Date(Math.min(moment.getTime(), now.getTime()))
  } catch (error) {
    note(error)
    return now
  }
}

function readFutureMoment(field: string, value: string): Date {
  const moment = readMoment(field, value)
  if (moment.getTime() > LATEST) throw invalid(field, 'too_far_in_future')
  return moment
}

/** Describes the first destination of a link on a branded domain. */
export function describeBrandedHost(
  { targetHosts }: CheckedLink,
  branded: ReadonlySet<string>,
  row: Pick<SourceRow, 'nameField'>,
): Problem | undefined {
  for (const [host, field] of targetHosts) {
    if (branded.has(host)) return describeProblem(createServiceUrlError(field), row)
  }
  return undefined
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
  { nameField = (field) => renameField(FILE_NAMES, field) }: Pick<SourceRow, 'nameField'>,
): Problem {
  if (!(error instanceof AppError)) throw error
  return toProblem(error, nameField)
}

function checkUrl(
  field: string,
  value: string,
  { hosts, blocked }: Dependencies,
  targetHosts: Map<string, string>,
): string {
  if (/[\t\r\n]|\s\S*:\/\//.test(value.trim())) throw invalid(field, 'one_url')
  const url = parseDestinationUrl(field, value)
  const host = isWebUrl(url) ? normalizeTargetHost(url.host) : ''
  if (host !== '' && hosts.isService(host)) throw createServiceUrlError(field)
  if (blocked.blocks(url)) throw invalid(field, 'blocked_host')
  if (host !== '' && !targetHosts.has(host)) targetHosts.set(host, field)
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
    throw invalid('domain', 'not_own_domain_named', { domain: domain.slice(0, 64) })
  }
  return defaultDomainId
}

function readMoment(field: string, value: string): Date {
  const moment = parseMoment(value)
  if (moment) return moment
  const isAmbiguous = findDateOrder(value) === 'ambiguous'
  const date = value.slice(0, 64)
  throw invalid(field, isAmbiguous ? 'unknown_date_order' : 'unknown_date', { date })
}
