import { findLabelNames, iterateNamedLabels, unpackDay } from '../clicks/read.ts'
import type { Context } from '../context.ts'
import { type AccountScope, unscoped } from '../db/account-rows.ts'
import { SNAPSHOT, transact } from '../db/transaction.ts'
import type { Scope } from '../scope.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import {
  type ExportedDay,
  type ExportedLink,
  findDomainOrigins,
  readDays,
  readExportedLinks,
  readNextDays,
  readPage,
} from './export.queries.ts'
import type { ExportScheduler } from './export-scheduler.ts'
import { fileFields } from './file-fields.ts'
import { CSV_HEADER, formatLinkAsCsv } from './write/csv.ts'

export const FORMATS = ['jsonl', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** A part of the file. `links` is the number of links that end in this part. */
export type ExportedPart = { text: string; links: number }

/** The approximate number of characters generated per turn of the event loop. */
const CHUNK_LENGTH = 64 * 1024
/** The number of bytes of packed labels processed per turn. */
const LABEL_BYTES_PER_TURN = 64 * 1024
/**
 * The maximum total clicks of links whose days are read together. A click adds at most one day and
 * seven labels.
 */
const MAX_CLICKS_PER_BATCH = 32_768
/** The maximum number of label names cached between batches. */
const MAX_CACHED_NAMES = 50_000

type Source = ExportScheduler &
  AccountScope & {
    ids: readonly number[] | undefined
    baseUrl: string
  }

/**
 * Yields an account's links as text, oldest first, reading them on demand. With `ids`, yields only
 * these links. An export uses a limited amount of memory, occupies a connection only while reading,
 * and yields to other work of the process. Each page of links is a snapshot, and their days are
 * read slightly later. Links that are created or deleted during the export may or may not be
 * included.
 */
export async function* exportLinks(
  scope: Scope<Context>,
  format: Format,
  ids?: readonly number[],
): AsyncGenerator<ExportedPart, void> {
  const source = {
    db: scope.db,
    accountId: scope.accountId,
    ids,
    baseUrl: scope.config.baseUrl,
    ...scope.exportTurns,
  }
  const parts = format === 'csv' ? generateCsv(source) : generateJsonl(source)
  let text = format === 'csv' ? CSV_HEADER : ''
  let links = 0
  for await (const part of parts) {
    text += part.text
    links += part.links
    if (text.length < CHUNK_LENGTH) continue
    yield { text, links }
    text = ''
    links = 0
    await source.waitForTurn()
  }
  if (text !== '') yield { text, links }
}

async function* generateCsv(source: Source): AsyncGenerator<ExportedPart, void> {
  for await (const { links, shortUrl } of readPages(source)) {
    for (const link of links) yield { text: formatLinkAsCsv(link, shortUrl(link)), links: 1 }
  }
}

async function* generateJsonl(source: Source): AsyncGenerator<ExportedPart, void> {
  const names = createLabelNames(source)
  for await (const { links, shortUrl } of readPages(source)) {
    for (const group of groupLinks(links)) {
      const readLinkDays = await readGroup(source, group, names)
      for (const link of group) {
        const parts = generateJsonlLine(link, shortUrl(link), readLinkDays(link), names.getName)
        for await (const text of parts) yield { text, links: 0 }
        yield { text: '', links: 1 }
      }
    }
  }
}

async function* readPages(source: Source) {
  const { ids, baseUrl, read } = source
  const origins = await read(() => findDomainOrigins(source))
  const shortUrl = ({ host, alias }: ExportedLink) =>
    shortUrlOf((host && origins.get(host)) || baseUrl, alias)
  for (const chunk of splitIds(ids)) {
    const links = await read(() => transact(source, (tx) => readExportedLinks(tx, chunk), SNAPSHOT))
    yield { links, shortUrl }
  }
  for (let after = 0; !ids; ) {
    const links = await read(() => transact(source, (tx) => readPage(tx, after), SNAPSHOT))
    const last = links.at(-1)
    if (!last) return
    yield { links, shortUrl }
    after = last.id
  }
}

/**
 * The number of selected links that are read together. It is small, because the text of each link
 * may have a few hundred KB.
 */
const IDS_PER_READ = 100

function* splitIds(ids: readonly number[] = []): Generator<readonly number[]> {
  const sorted = [...ids].sort((a, b) => a - b)
  for (let start = 0; start < sorted.length; start += IDS_PER_READ)
    yield sorted.slice(start, start + IDS_PER_READ)
}

/**
 * Returns the days of each link in a group: all at once or, for a link with many days, page by
 * page.
 */
async function readGroup(source: Source, group: readonly ExportedLink[], names: LabelNames) {
  const { read } = source
  const db = unscoped(source)
  const [firstLink] = group
  if (firstLink && firstLink.clicks > MAX_CLICKS_PER_BATCH) {
    return () => readDayPages(source, firstLink, names)
  }
  const clicked = group.filter(({ clicks }) => clicks > 0).map(({ id }) => id)
  const days = await read(() => readDays(db, clicked))
  await names.load([...days.values()].flat())
  return ({ id }: ExportedLink) => [days.get(id) ?? []]
}

async function* readDayPages(source: Source, { id }: ExportedLink, names: LabelNames) {
  for (let after = '-infinity'; ; ) {
    const days = await source.read(() => readNextDays(unscoped(source), id, after))
    const last = days.at(-1)
    if (!last) return
    await names.load(days)
    yield days
    after = last.day
  }
}

/** Caches label names. The cache is large enough for one batch of days. */
function createLabelNames(source: Source) {
  const cached = new Map<number, string>()

  async function loadNames(days: readonly ExportedDay[]): Promise<void> {
    if (cached.size > MAX_CACHED_NAMES) cached.clear()
    const unknown = new Set<number>()
    let bytes = 0
    for (const { labels } of days) {
      for (const label of iterateNamedLabels(labels)) if (!cached.has(label)) unknown.add(label)
      bytes += labels?.length ?? 0
      if (bytes < LABEL_BYTES_PER_TURN) continue
      bytes = 0
      await source.waitForTurn()
    }
    for (const [label, name] of await source.read(() =>
      findLabelNames(unscoped(source), unknown),
    )) {
      cached.set(label, name)
    }
  }

  return { load: loadNames, getName: (label: number) => cached.get(label) ?? 'Unknown' }
}

type LabelNames = ReturnType<typeof createLabelNames>

/** Splits links into groups with few clicks. A link with many clicks forms a separate group. */
function* groupLinks(links: readonly ExportedLink[]): Generator<ExportedLink[], void> {
  let group: ExportedLink[] = []
  let clicks = 0
  for (const link of links) {
    if (group.length > 0 && clicks + link.clicks > MAX_CLICKS_PER_BATCH) {
      yield group
      group = []
      clicks = 0
    }
    group.push(link)
    clicks += link.clicks
  }
  if (group.length > 0) yield group
}

/**
 * Yields one line of an export in parts, first the link and then its days. `getLabelName` returns
 * the name of a numbered label.
 */
async function* generateJsonlLine(
  link: ExportedLink,
  shortUrl: string,
  pages: AsyncIterable<readonly ExportedDay[]> | Iterable<readonly ExportedDay[]>,
  getLabelName: (label: number) => string,
): AsyncGenerator<string, void> {
  yield formatLink(link, shortUrl).slice(0, -1)
  let separator = ',"days":['
  for await (const days of pages) {
    for (const day of days) {
      yield separator + JSON.stringify(unpackDay(day, getLabelName))
      separator = ','
    }
  }
  yield separator === ',' ? ']}\n' : '}\n'
}

/** Returns the link as JSON, without its days. */
function formatLink(link: ExportedLink, shortUrl: string): string {
  return JSON.stringify({
    alias: link.alias,
    domain: link.host ?? undefined,
    shortUrl,
    ...Object.fromEntries(fileFields.map(({ name, toJson }) => [name, toJson(link)])),
    tags: link.tags.length > 0 ? link.tags : undefined,
    createdAt: link.createdAt,
    disabled: link.status === 'disabled' || undefined,
    archived: link.archivedAt !== null || undefined,
    clicks: link.clicks,
    lastClickAt: link.lastClickAt ?? undefined,
    usedClicks: link.usedClicks || undefined,
  })
}
