import fs, { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import {
  appendClick,
  openTestJournal,
  readSegments,
  useFakeIntervals,
} from '../../../test/support/open-journal.ts'

describe('the click journal on a failing disk', () => {
  test('counts lost clicks on a full disk, completes requests, and recovers', async () => {
    let isFull = false
    const losses: [number, string][] = []
    const { journal, dir } = openTestJournal({
      onLoss: (count, error) => losses.push([count, error.message]),
      files: {
        // Behaves like Linux: writes as much as fits, then fails.
        writeSync: (fd, data, offset, length, at) => {
          if (!isFull) return fs.writeSync(fd, data, offset, length, at)
          if (offset > 0) throw new Error('ENOSPC: no space left on device')
          return fs.writeSync(fd, data, offset, 5, at)
        },
      },
    })
    await appendClick(journal, 1)
    isFull = true
    await appendClick(journal, 2)
    await appendClick(journal, 3)
    isFull = false
    await appendClick(journal, 4)
    expect(losses).toEqual([
      [1, 'ENOSPC: no space left on device'],
      [1, 'ENOSPC: no space left on device'],
    ])
    expect(journal.stats()).toMatchObject({ written: 2, lost: 2 })
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [1, 4] }])
  })

  test('abandons a segment that it cannot repair and starts a new one', async () => {
    let isBroken = false
    const { journal, dir } = openTestJournal({
      onLoss: () => {},
      files: {
        writeSync: (fd, data, offset, length, at) => {
          if (!isBroken) return fs.writeSync(fd, data, offset, length, at)
          fs.writeSync(fd, data, offset, 5, at)
          throw new Error('EIO')
        },
        ftruncateSync: () => {
          throw new Error('EIO')
        },
      },
    })
    await appendClick(journal, 1)
    isBroken = true
    await appendClick(journal, 2)
    isBroken = false
    await appendClick(journal, 3)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1] },
      { sequence: 2, ids: [3] },
    ])
  })

  test('continues a full segment if no new segment can be opened', async () => {
    let openedFiles = 0
    const { journal, dir } = openTestJournal({
      segmentBytes: 1,
      files: {
        openSync: (path, flags, mode) => {
          openedFiles += 1
          if (openedFiles > 1) throw new Error('EMFILE')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    for (const id of [1, 2]) await appendClick(journal, id)
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [1, 2] }])
  })

  test('counts clicks as lost while no file can be created', async () => {
    let isAvailable = false
    const losses: [number, string][] = []
    const { journal, dir } = openTestJournal({
      onLoss: (count, error) => losses.push([count, error.message]),
      files: {
        openSync: (path, flags, mode) => {
          if (!isAvailable) throw new Error('EROFS')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    await appendClick(journal, 1)
    isAvailable = true
    await appendClick(journal, 2)
    expect(losses).toEqual([[1, 'EROFS']])
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [2] }])
  })

  test('reports a failed sync and still calls back', async () => {
    const losses: [number, string][] = []
    const { journal } = openTestJournal({
      sync: 'fsync',
      onLoss: (count, error) => losses.push([count, error.message]),
      files: { fdatasync: (_, done) => done(new Error('EIO')) },
    })
    await appendClick(journal, 1)
    expect(losses).toEqual([[0, 'EIO']])
    expect(journal.stats()).toMatchObject({ written: 1, lost: 0 })
  })

  test('keeps an active segment marked as active if no new segment can be opened', async () => {
    useFakeIntervals()
    let openedFiles = 0
    const losses: [number, string][] = []
    const { journal, dir } = openTestJournal({
      onLoss: (count, error) => losses.push([count, error.message]),
      files: {
        openSync: (path, flags, mode) => {
          openedFiles += 1
          if (openedFiles === 2) throw new Error('EMFILE')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    await appendClick(journal, 1)
    const file = join(dir, readdirSync(dir)[0] ?? '')
    const before = Date.now() - 2000
    fs.utimesSync(file, 0, 0)
    vi.advanceTimersByTime(60_000)
    expect(losses).toEqual([[0, 'EMFILE']])
    expect(fs.statSync(file).mtimeMs).toBeGreaterThan(before)
    await appendClick(journal, 2)
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1, 2] },
      { sequence: 2, ids: [] },
    ])
  })
})
