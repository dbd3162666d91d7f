import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../db/transaction.ts'
import { invalid } from '../errors.ts'
import {
  addTags,
  clearTags,
  dropUnusedTags,
  readTags,
  tagIdsOf,
} from '../tags/link-tags.queries.ts'
import { foldCase, type Tag } from '../tags/tag.ts'
import { addPixels, lockPixels, readPixels, removePixels } from './link-pixels.queries.ts'

/** Replaces the pixels of a link, and returns whether they are others now, or in another order. */
export async function replacePixels(
  tx: Tx,
  accountId: number,
  linkId: number,
  ids: readonly number[],
) {
  const own = await lockPixels(tx, accountId, ids)
  if (!ids.every((id) => own.has(id))) throw invalid('pixels', 'names a pixel that does not exist')
  const pixelIds = [...new Set(ids)]
  if (isDeepStrictEqual(pixelIds, await readPixels(tx, linkId))) return false
  await removePixels(tx, linkId)
  await addPixels(tx, [{ linkId, pixelIds }])
  return true
}

/** Replaces the tags of a link, and returns whether they are others now, or in another order. */
export async function replaceTags(tx: Tx, accountId: number, linkId: number, tags: readonly Tag[]) {
  const before = (await readTags(tx, [linkId])).get(linkId) ?? []
  const keys = tags.map(({ key }) => key)
  if (isDeepStrictEqual(keys, before.map(foldCase))) return false
  const tagIds = await tagIdsOf(tx, [linkId])
  await clearTags(tx, [linkId])
  await addTags(tx, accountId, [{ linkId, tags }])
  await dropUnusedTags(tx, tagIds)
  return true
}
