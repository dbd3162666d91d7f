import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { addTags } from '../tags/link-tags.queries.ts'
import type { Tag } from '../tags/tag.ts'
import {
  createLinkInserter,
  type InsertResult,
  insertEach,
  type LinkValues,
} from './insert-links.queries.ts'
import { addPixels, lockPixels } from './link-pixels.queries.ts'
import { randomAlias } from './rules/alias.ts'

/** A link that is to be made: everything of it but an alias, unless one was chosen. */
export type LinkDraft = {
  values: Omit<LinkValues, 'alias'>
  alias: string | undefined
  pixels: readonly number[]
  tags: readonly Tag[]
}

export type StoredLink = { id: number; alias: string; createdAt: Date }
export type StoreResult = PromiseSettledResult<StoredLink>

/** Random aliases clash about once in a million million; more than a few attempts mean a fault. */
const ALIAS_ATTEMPTS = 5

/**
 * Makes the function that stores the links of an account, and says of each what became of it:
 * rejected are `alias_taken`, `invalid_input` for a pixel that the account does not have, and what
 * PostgreSQL refuses. It throws what concerns all of them.
 */
export function createLinkStore(db: Db) {
  const insertTogether = createLinkInserter(db)

  return async (accountId: number, drafts: readonly LinkDraft[]): Promise<StoreResult[]> => {
    if (db.isTransaction || drafts.some(hasParts)) {
      return inTransaction(db, (tx) => storeWithParts(tx, accountId, drafts))
    }
    const [draft] = drafts
    if (!draft || drafts.length > 1) {
      return store(drafts, (links) => insertEach(db, links, !drafts.some(isChosen)))
    }
    return store(drafts, (links) =>
      Promise.all(links.map((values) => insertTogether(values, isChosen(draft)))),
    )
  }
}

function isChosen({ alias }: LinkDraft): boolean {
  return alias !== undefined
}

/** Whether there is more to store of a link than its own row. */
function hasParts({ pixels, tags }: LinkDraft): boolean {
  return pixels.length > 0 || tags.length > 0
}

async function storeWithParts(
  tx: Db,
  accountId: number,
  drafts: readonly LinkDraft[],
): Promise<StoreResult[]> {
  const own = await lockPixels(
    tx,
    accountId,
    drafts.flatMap(({ pixels }) => pixels),
  )
  const isComplete = ({ pixels }: LinkDraft) => pixels.every((id) => own.has(id))
  const complete = drafts.filter(isComplete)
  const stored = await store(complete, (links) => insertEach(tx, links))
  const made = stored.flatMap((result, index) => {
    const draft = complete[index]
    return result.status === 'fulfilled' && draft ? { linkId: result.value.id, draft } : []
  })
  await addPixels(
    tx,
    made.map(({ linkId, draft: { pixels } }) => ({ linkId, pixelIds: pixels })),
  )
  await addTags(
    tx,
    accountId,
    made.map(({ linkId, draft: { tags } }) => ({ linkId, tags })),
  )
  const results = stored.values()
  return drafts.map((draft) => {
    const result = isComplete(draft) ? results.next().value : undefined
    return result ?? rejected(invalid('pixels', 'names a pixel that does not exist'))
  })
}

/** Stores links, those whose random alias turns out to be taken once more under another. */
async function store(
  drafts: readonly LinkDraft[],
  insert: (links: LinkValues[]) => Promise<InsertResult[]>,
): Promise<StoreResult[]> {
  const results = new Array<StoreResult | undefined>(drafts.length).fill(undefined)
  let left = [...drafts.keys()]
  for (let attempt = 1; left.length > 0 && attempt <= ALIAS_ATTEMPTS; attempt += 1) {
    const links = left.flatMap((index) => {
      const draft = drafts[index]
      return draft ? { ...draft.values, alias: draft.alias ?? randomAlias() } : []
    })
    const inserted = await insert(links)
    left = left.filter((index, position) => {
      const result = read(inserted[position], links[position]?.alias ?? '', drafts[index])
      if (result) results[index] = result
      return !result
    })
  }
  // Only where it is needed: an error with its stack takes a quarter of what a link takes here.
  return results.map(
    (result) => result ?? rejected(new Error(`no free alias in ${ALIAS_ATTEMPTS} attempts`)),
  )
}

/** What an attempt means for a link; undefined if it needs another. */
function read(
  inserted: InsertResult | undefined,
  alias: string,
  draft: LinkDraft | undefined,
): StoreResult | undefined {
  if (inserted?.status === 'rejected') return inserted
  const value = inserted?.value
  if (typeof value === 'object') return { status: 'fulfilled', value: { ...value, alias } }
  if (draft?.alias === undefined) return undefined
  return rejected(
    value === 'held'
      ? new AppError('alias_held', undefined, { field: 'alias' })
      : new AppError('alias_taken'),
  )
}

function rejected(reason: unknown): PromiseRejectedResult {
  return { status: 'rejected', reason }
}
