import fs, { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  appendClick,
  createClick,
  openTestJournal,
  readSegments,
  useFakeIntervals,
} from '../../../test/support/open-journal.ts'

describe('the click journal', () => {
  test('writes the clicks of one turn together before calling back', async () => {
    const { journal, dir } = openTestJournal()
    const confirmed: number[] = []
    for (const id of [1, 2, 3]) {
      journal.append(createClick(id), () =>
        confirmed.push(readSegments(dir).flatMap(({ ids }) => ids).length),
      )
    }
    expect(confirmed).toEqual([])
    await yieldToEventLoop()
    expect(confirmed).toEqual([3, 3, 3])
    expect(journal.stats()).toMatchObject({ written: 3, lost: 0, segments: 1 })
  })

  test('creates no file before the first click', async () => {
    const { journal, dir } = openTestJournal()
    await journal.close()
    expect(readdirSync(dir)).toEqual([])
  })

  test('starts a new segment when one is full', async () => {
    const { journal, dir } = openTestJournal({ segmentBytes: 100 })
    for (const id of [1, 2, 3]) await appendClick(journal, id)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1, 2] },
      { sequence: 2, ids: [3] },
    ])
  })

  test('accepts more clicks per turn than fit in a frame', async () => {
    const { journal, dir } = openTestJournal()
    const large = { ...createClick(1), userAgent: 'a'.repeat(512), referrer: 'b'.repeat(1024) }
    let confirmed = 0
    for (let index = 0; index < 1000; index += 1) {
      journal.append(large, () => {
        confirmed += 1
      })
    }
    await yieldToEventLoop()
    expect(confirmed).toBe(1000)
    expect(readSegments(dir).flatMap(({ ids }) => ids)).toHaveLength(1000)
  })

  test('with fsync, calls back after the sync, and later clicks wait for the next sync', async () => {
    const syncs: ((error: Error | null) => void)[] = []
    const { journal } = openTestJournal({
      sync: 'fsync',
      files: { fdatasync: (_, done) => syncs.push(done) },
    })
    const confirmed: number[] = []
    for (const id of [1, 2, 3]) {
      journal.append(createClick(id), () => confirmed.push(id))
      await yieldToEventLoop()
    }
    expect([confirmed, syncs.length]).toEqual([[], 1])
    syncs[0]?.(null)
    await yieldToEventLoop()
    expect([confirmed, syncs.length]).toEqual([[1], 2])
    syncs[1]?.(null)
    await yieldToEventLoop()
    expect(confirmed).toEqual([1, 2, 3])
    const closed = journal.close()
    await yieldToEventLoop()
    syncs[2]?.(null)
    await closed
  })

  test('closes a segment with clicks after a minute, so that it can be deleted', async () => {
    useFakeIntervals()
    const { journal, dir } = openTestJournal()
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toEqual([])
    await appendClick(journal, 1)
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1] },
      { sequence: 2, ids: [] },
    ])
    await appendClick(journal, 2)
    expect(readSegments(dir)).toMatchObject([{ ids: [1] }, { ids: [2] }])
  })

  test('touches an empty segment to show that its writer is alive', async () => {
    useFakeIntervals()
    const { journal, dir } = openTestJournal()
    await appendClick(journal, 1)
    vi.advanceTimersByTime(60_000)
    const file = join(dir, readdirSync(dir).sort()[1] ?? '')
    const before = Date.now() - 2000
    fs.utimesSync(file, 0, 0)
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toHaveLength(2)
    expect(fs.statSync(file).mtimeMs).toBeGreaterThan(before)
  })

  test('runs the remaining callbacks if one throws an error', async () => {
    const { journal } = openTestJournal()
    const uncaughtError = new Promise((resolve) => process.once('uncaughtException', resolve))
    // Removes the listeners of the test runner, which would fail the test.
    const listeners = process.listeners('uncaughtException').slice(0, -1)
    for (const listener of listeners) process.off('uncaughtException', listener)
    onTestFinished(() => {
      for (const listener of listeners) process.on('uncaughtException', listener)
    })
    journal.append(createClick(1), () => {
      throw new Error('an error of the caller')
    })
    const confirmed = new Promise<void>((done) => journal.append(createClick(2), done))
    await confirmed
    expect(await uncaughtError).toMatchObject({ message: 'an error of the caller' })
  })

  test('writes waiting clicks on close and counts later clicks as lost', async () => {
    const lost: number[] = []
    const { journal, dir } = openTestJournal({ onLoss: (count) => lost.push(count) })
    let confirmed = 0
    journal.append(createClick(1), () => {
      confirmed += 1
    })
    await journal.close()
    expect([confirmed, readSegments(dir)]).toEqual([1, [{ sequence: 1, ids: [1] }]])
    await appendClick(journal, 2)
    expect(lost).toEqual([1])
  })
})
