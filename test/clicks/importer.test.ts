import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { listPartitions, partitionName } from '../../src/clicks/import.ts'
import { createWriterName, formatSegmentFile } from '../../src/clicks/journal/segment-name.ts'
import { compactRawClicks } from '../../src/clicks/maintenance/housekeeping.ts'
import { countDamagedSegments, inspectJournal } from '../../src/clicks/read.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { importTest, listSegments, waitUntil } from '../support/imports.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { rawClicks } from '../support/raw-clicks.ts'

const test = importTest().extend('listPositions', { scope: 'file' }, ({ database }) => async () => {
  return (await database.pool.query('select * from journal_positions')).rows
})

test('compaction merges raw clicks of past days into one row per link and day', async ({
  database,
  createImport,
  makeLinks,
  discrepancies,
}) => {
  const [popular = 0, unpopular = 0] = await makeLinks(2)
  const { journal, importer } = createImport()
  const now = new Date()
  for (let round = 0; round < 9; round += 1) {
    const at = now.getTime() - 86_400_000 + round
    const links = round < 7 ? [popular, unpopular] : [popular]
    await appendAll(journal, [
      ...links.map((link) => createClick(link, round, { at })),
      createClick(popular, round, { at: now.getTime() }),
    ])
    await importer.drain()
  }
  const countRowsPerDay = async () => {
    const { rows } = await database.pool.query<{ count: number }>(
      `select count(*) from clicks where link_id = any($1::bigint[])
       group by link_id, day order by link_id, day`,
      [[popular, unpopular]],
    )
    return rows.map(({ count }) => count)
  }
  const before = await rawClicks(database.pool, [popular, unpopular])
  expect(await countRowsPerDay()).toEqual([9, 9, 7])
  expect(await compactRawClicks(database.db, now)).toBe(1)
  expect(await countRowsPerDay()).toEqual([1, 9, 7])
  const describeVisits = (clicks: typeof before) =>
    clicks.map(({ linkId, at, visitor, isFirst }) => `${linkId} ${at} ${visitor} ${isFirst}`).sort()
  expect(describeVisits(await rawClicks(database.pool, [popular, unpopular]))).toEqual(
    describeVisits(before),
  )
  expect(await discrepancies()).toEqual([])
})

describe('an import of a journal folder', () => {
  test('deletes a segment with an incomplete end only if its writer has ended', async ({
    createImport,
    makeLink,
  }) => {
    const link = await makeLink()
    const { dir, journal, drain } = createImport()
    await appendAll(journal, [createClick(link, 1)])
    const [ownSegment = ''] = listSegments(dir)
    // Both segments end with the start of a frame.
    const otherSegment = formatSegmentFile(createWriterName().replace(/^(\d+)\.\w+/, '$1.1'), 1)
    writeFileSync(join(dir, otherSegment), Buffer.from('ff4c4b01ffff', 'hex'))
    appendFileSync(join(dir, ownSegment), Buffer.from('ff4c4b01ffff', 'hex'))
    expect(await drain()).toBe(1)
    expect(listSegments(dir)).toEqual([ownSegment])
    const setAside = { file: join('damaged', otherSegment), bytes: 6, clicks: 0, damagedBytes: 6 }
    expect(inspectJournal(dir)).toContainEqual(setAside)
    expect(countDamagedSegments(dir)).toBe(1)
  })

  test('loses only damaged frames', async ({ statistics, createImport, makeLink }) => {
    const link = await makeLink()
    const { dir, journal, drain } = createImport()
    await appendAll(journal, [createClick(link, 1)])
    const [file = ''] = listSegments(dir)
    appendFileSync(join(dir, file), Buffer.alloc(3 << 20, 'damage'))
    const otherImport = createImport()
    await appendAll(otherImport.journal, [createClick(link, 2)])
    const [intactFile = ''] = listSegments(otherImport.dir)
    appendFileSync(join(dir, file), readFileSync(join(otherImport.dir, intactFile)))
    expect(await drain()).toBe(2)
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 2, visitors: 2 })
    const setAside = { file: join('damaged', file), clicks: 2, damagedBytes: 3 << 20 }
    expect(inspectJournal(dir)).toContainEqual(expect.objectContaining(setAside))
  })

  test('keeps imported segments without incomplete ends for a time, with their positions', async ({
    createImport,
    makeLink,
    listPositions,
    statistics,
  }) => {
    const link = await makeLink()
    const positionsBefore = (await listPositions()).length
    let now = new Date()
    const keep = { hours: 2, minFreeBytes: 0 }
    const { dir, journal, drain, log } = createImport({ clock: () => now, keep })
    const kept = () => readdirSync(join(dir, 'kept'))
    await appendAll(journal, [createClick(link, 1)])
    const [ownSegment = ''] = listSegments(dir)
    const ended = formatSegmentFile(createWriterName().replace(/^(\d+)\.\w+/, '$1.1'), 1)
    const frame = readFileSync(join(dir, ownSegment))
    writeFileSync(join(dir, ended), Buffer.concat([frame, Buffer.from('ff4c4b01ffff', 'hex')]))
    expect(await drain()).toBe(2)
    expect(kept()).toEqual([ended])
    expect(readFileSync(join(dir, 'kept', ended))).toEqual(frame)
    expect(inspectJournal(dir)).toMatchObject([
      { file: ownSegment },
      { file: join('kept', ended), clicks: 1, damagedBytes: 0 },
      { file: join('damaged', ended), damagedBytes: 6 },
    ])
    now = new Date(now.getTime() + 2 * 3_600_000 - 60_000)
    expect(await drain()).toBe(0)
    expect(kept()).toEqual([ended])
    expect((await listPositions()).length).toBe(positionsBefore + 2)
    now = new Date(now.getTime() + 60_000)
    expect(await drain()).toBe(0)
    expect(kept()).toEqual([])
    expect((await listPositions()).length).toBe(positionsBefore + 1)
    expect(await statistics.forLink(link)).toMatchObject({ clicks: 2 })
    expect(log).toEqual(['an incomplete end of the click journal was skipped and set aside'])
  })

  test('deletes kept segments early if the disk is nearly full', async ({
    createImport,
    makeLink,
  }) => {
    const link = await makeLink()
    const { dir, journal, drain, log } = createImport({
      keep: { hours: 2, minFreeBytes: Number.MAX_SAFE_INTEGER },
    })
    await appendAll(journal, [createClick(link, 1)])
    const [ownSegment = ''] = listSegments(dir)
    const ended = formatSegmentFile(createWriterName().replace(/^(\d+)\.\w+/, '$1.1'), 1)
    writeFileSync(join(dir, ended), readFileSync(join(dir, ownSegment)))
    expect(await drain()).toBe(2)
    expect(readdirSync(join(dir, 'kept'))).toEqual([])
    expect(log).toEqual([
      'the disk is nearly full: kept clicks were deleted before JOURNAL_KEEP_HOURS',
    ])
  })

  test('deletes positions of missing segments', async ({
    createImport,
    makeLink,
    listPositions,
  }) => {
    const link = await makeLink()
    const { dir, journal, drain } = createImport()
    await appendAll(journal, [createClick(link, 1)])
    await drain()
    const before = await listPositions()
    for (const file of listSegments(dir)) rmSync(join(dir, file))
    await drain()
    expect((await listPositions()).length).toBe(before.length - 1)
  })

  test('does not count a batch imported by another importer again', async ({
    database,
    statistics,
    createImport,
    makeLink,
    discrepancies,
  }) => {
    const link = await makeLink()
    const { journal, importer, log } = createImport()
    const running = importer.run()
    await appendAll(journal, [createClick(link, 1)])
    await waitUntil(async () => (await statistics.forLink(link)).clicks === 1)
    const client = await database.pool.connect()
    // Acts like another importer with an unnoticed claim: locks and advances the position.
    await client.query('begin')
    const movePosition = `update journal_positions set position = position * 2
                   where updated_at = (select max(updated_at) from journal_positions)`
    await client.query(movePosition)
    await appendAll(journal, [createClick(link, 1)])
    await waitUntil(() => isWaitingForLock(database.pool))
    await client.query('commit')
    client.release()
    await appendAll(journal, [createClick(link, 2)])
    await waitUntil(async () => (await statistics.forLink(link)).clicks === 2)
    await importer.stop()
    await running
    expect(log).toEqual([
      'clicks cannot be imported, trying again',
      'clicks are being imported again',
    ])
    expect(await discrepancies()).toEqual([])
  })
})

describe('raw clicks', () => {
  test('are stored in monthly partitions, which are dropped when expired', async ({
    database,
    statistics,
    createImport,
    makeLink,
    discrepancies,
  }) => {
    const link = await makeLink()
    let now = new Date('2025-03-31T23:59:59Z')
    const { journal, importer } = createImport({ clock: () => now, retentionDays: 40 })
    await appendAll(journal, [
      createClick(link, 1, { at: Date.UTC(2025, 0, 1) }),
      createClick(link, 2, { at: Date.UTC(2025, 1, 28, 23, 59, 59, 999) }),
      createClick(link, 3, { at: Date.UTC(2025, 2, 1) }),
    ])
    await importer.drain()
    const findPartitions = async () => {
      const partitions: string[] = []
      for (const month of await listPartitions(database.db)) {
        const text = `select from ${partitionName(month)} where link_id = $1`
        // The partition may be dropped between the two queries.
        const ignoreDropped = (error: { code?: string }) => {
          if (error.code !== '42P01') throw error
          return { rows: [] }
        }
        const { rows } = await database.pool.query(text, [link]).catch(ignoreDropped)
        partitions.push(...rows.map(() => partitionName(month)))
      }
      return partitions
    }
    expect(await findPartitions()).toEqual(['clicks_2025_02', 'clicks_2025_03'])
    expect((await statistics.forLink(link)).clicks).toBe(3)
    now = new Date('2025-04-20T00:00:00Z')
    const running = importer.run()
    await waitUntil(async () => (await findPartitions()).length === 1)
    await importer.stop()
    await running
    expect(await findPartitions()).toEqual(['clicks_2025_03'])
    expect((await statistics.forLink(link)).clicks).toBe(3)
    expect(await discrepancies()).toEqual([])
  })
})

describe('a running importer', () => {
  test('deletes expired rate windows and idempotency keys', async ({ database, createImport }) => {
    await database.pool.query(
      `insert into rate_windows values ('old', now() - interval '6 minutes', 1), ('new', now(), 1)`,
    )
    await database.pool.query(
      `insert into idempotency_keys select id, k, '', '', now() - age from accounts,
       (values ('old', interval '25 hours'), ('new', interval '23 hours')) v (k, age)`,
    )
    const { importer } = createImport()
    const running = importer.run()
    const listRemaining = async () => {
      const { rows } = await database.pool.query<{ name: string }>(
        'select subject as name from rate_windows union all select key from idempotency_keys',
      )
      return rows.map(({ name }) => name)
    }
    await waitUntil(async () => (await listRemaining()).length === 2)
    await importer.stop()
    await running
    expect(await listRemaining()).toEqual(['new', 'new'])
  })
})
