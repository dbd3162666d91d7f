import { describe, expect } from 'vitest'
import { removeClicks } from '../../src/clicks/import.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { importTest, waitUntil } from '../support/imports.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'

const CLICK_TABLES = ['click_totals', 'click_days', 'click_details', 'click_visitors', 'clicks']

const test = importTest()
  /** Returns the tables of clicks, and `removed_links`, in which a link has rows. */
  .extend('rowsOf', { scope: 'file' }, ({ database }) => async (link: number) => {
    const { rows } = await database.pool.query<{ name: string }>(
      [...CLICK_TABLES, 'removed_links']
        .map((name) => `select distinct '${name}' as name from ${name} where link_id = $1`)
        .join(' union '),
      [link],
    )
    return rows.map(({ name }) => name).sort()
  })

describe('a deleted link', () => {
  test('loses its clicks, and later clicks are dropped', async ({
    statistics,
    createImport,
    makeLink,
    remove,
    purge,
    rowsOf,
    discrepancies,
  }) => {
    const kept = await makeLink()
    const deleted = await makeLink()
    const { journal, drain } = createImport()
    await appendAll(journal, [createClick(kept, 1), createClick(deleted, 1)])
    await drain()
    await remove(deleted)
    await appendAll(journal, [createClick(kept, 2), createClick(deleted, 2)])
    await drain()
    expect(await discrepancies()).toEqual([])
    await purge()
    expect(await rowsOf(deleted)).toEqual([])
    expect(await statistics.forLink(kept)).toMatchObject({ clicks: 2, visitors: 2 })
    expect(await discrepancies()).toEqual([])
  })

  test('leaves no rows behind if deleted during an import', async ({
    statistics,
    createImport,
    makeLink,
    remove,
    purge,
    rowsOf,
    discrepancies,
  }) => {
    const links = [await makeLink(), await makeLink(), await makeLink()]
    const { journal, importer } = createImport()
    const running = importer.run()
    for (let round = 0; round < 30; round += 1) {
      await appendAll(
        journal,
        links.map((link) => createClick(link, round)),
      )
      if (round === 15) await remove(links[1] ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await waitUntil(async () => (await statistics.forLink(links[2] ?? 0)).clicks === 30)
    await importer.stop()
    await running
    await purge()
    expect(await rowsOf(links[1] ?? 0)).toEqual([])
    expect((await statistics.forLink(links[0] ?? 0)).clicks).toBe(30)
    expect(await discrepancies()).toEqual([])
  })

  test('leaves no rows behind if its totals are updated after its uncommitted deletion', async ({
    database,
    statistics,
    createImport,
    makeLink,
    purge,
    rowsOf,
    discrepancies,
  }) => {
    const kept = await makeLink()
    const deleted = await makeLink()
    const { journal, importer } = createImport()
    await appendAll(journal, [createClick(kept, 1), createClick(deleted, 1)])
    await importer.drain()
    await appendAll(journal, [createClick(kept, 2), createClick(deleted, 2)])
    let drained: Promise<number> | undefined
    await inTransaction(database.db, async (tx) => {
      await tx.deleteFrom('links').where('id', '=', deleted).execute()
      await removeClicks(tx, [deleted])
      drained = importer.drain()
      await waitUntil(() => isWaitingForLock(database.pool))
    })
    expect(await drained).toBe(2)
    expect(await discrepancies()).toEqual([])
    await purge()
    expect(await rowsOf(deleted)).toEqual([])
    expect(await statistics.forLink(kept)).toMatchObject({ clicks: 2, visitors: 2 })
    expect(await discrepancies()).toEqual([])
  })

  test('gets no rows if its first click is imported after its uncommitted deletion', async ({
    database,
    statistics,
    createImport,
    makeLink,
    rowsOf,
    discrepancies,
  }) => {
    const kept = await makeLink()
    const deleted = await makeLink()
    const { journal, importer } = createImport()
    await appendAll(journal, [createClick(kept, 1), createClick(deleted, 1)])
    let drained: Promise<number> | undefined
    await inTransaction(database.db, async (tx) => {
      await tx.deleteFrom('links').where('id', '=', deleted).execute()
      await removeClicks(tx, [deleted])
      drained = importer.drain()
      await waitUntil(() => isWaitingForLock(database.pool))
    })
    expect(await drained).toBe(2)
    expect(await rowsOf(deleted)).toEqual([])
    expect(await statistics.forLink(kept)).toMatchObject({ clicks: 1, visitors: 1 })
    expect(await discrepancies()).toEqual([])
  })

  test('leaves no rows behind if its first click is imported during its deletion', async ({
    database,
    createImport,
    makeLink,
    purge,
    rowsOf,
    discrepancies,
  }) => {
    const deleted = await makeLink()
    const { journal, drain } = createImport()
    await appendAll(journal, [createClick(deleted, 1)])
    await inTransaction(database.db, async (tx) => {
      await tx.deleteFrom('links').where('id', '=', deleted).execute()
      await drain()
      await removeClicks(tx, [deleted])
    })
    await purge()
    expect(await rowsOf(deleted)).toEqual([])
    expect(await discrepancies()).toEqual([])
  })

  test('with more clicks than one cleanup batch is cleaned up by the running importer', async ({
    createImport,
    makeLink,
    remove,
    rowsOf,
    discrepancies,
  }) => {
    const link = await makeLink()
    const { journal, importer } = createImport()
    await appendAll(
      journal,
      Array.from({ length: 6000 }, (_, identity) => createClick(link, identity)),
    )
    await importer.drain()
    await remove(link)
    expect(await discrepancies()).toEqual([])
    expect(await rowsOf(link)).toEqual([
      'click_days',
      'click_details',
      'click_visitors',
      'clicks',
      'removed_links',
    ])
    const running = importer.run()
    await waitUntil(async () => (await rowsOf(link)).length === 0)
    await importer.stop()
    await running
  })
})
