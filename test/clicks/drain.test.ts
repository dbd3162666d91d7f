import { describe, expect, onTestFinished, vi } from 'vitest'
import { claimFolder, releaseFolder } from '../../src/clicks/import/positions.queries.ts'
import { openJournalFolder } from '../../src/clicks/journal/segments.ts'
import { acquireConnection } from '../../src/db/connection.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { createTestImporter } from '../support/clicks.ts'
import { openPatiently } from '../support/database.ts'
import { importTest, waitUntil } from '../support/imports.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'

const test = importTest()

describe('draining', () => {
  test('waits until the importer that claimed the folder has imported everything', async ({
    database,
    statistics,
    createImport,
    makeLink,
  }) => {
    const link = await makeLink()
    const { dir, journal, importer } = createImport()
    const running = importer.run()
    await appendAll(journal, [createClick(link, 1)])
    await waitUntil(async () => (await statistics.forLink(link)).clicks === 1)
    const client = await database.pool.connect()
    const secondDatabase = openPatiently(database.url, { name: 'second' })
    onTestFinished(async () => {
      client.release(true)
      await secondDatabase.close()
    })
    await client.query('begin; lock table journal_positions in share mode')
    await appendAll(journal, [createClick(link, 2)])
    await waitUntil(() => isWaitingForLock(database.pool))
    const connectSpy = vi.spyOn(secondDatabase.pool, 'connect')
    const drained = createTestImporter(dir, secondDatabase).drain()
    // The first two connections are for the folder and its positions, the third for another attempt.
    await waitUntil(async () => connectSpy.mock.calls.length > 2)
    await client.query('commit')
    expect(await drained).toBe(0)
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 2, visitors: 2 })
    await importer.stop()
    await running
  })

  test('claims the folder when an idle importer releases it', async ({
    database,
    createImport,
    makeLinks,
  }) => {
    const [link = 0] = await makeLinks(1)
    const { dir, journal } = createImport()
    await appendAll(journal, [createClick(link, 1)])
    const { id } = openJournalFolder(dir)
    const lockHolder = await acquireConnection(database)
    const secondDatabase = openPatiently(database.url, { name: 'second' })
    onTestFinished(async () => {
      lockHolder.release(true)
      await secondDatabase.close()
    })
    expect(await claimFolder(lockHolder.db, id)).toBe(true)
    const connectSpy = vi.spyOn(secondDatabase.pool, 'connect')
    const drained = createTestImporter(dir, secondDatabase).drain()
    await waitUntil(async () => connectSpy.mock.calls.length > 2)
    await releaseFolder(lockHolder.db, id)
    expect(await drained).toBe(1)
  })
})
