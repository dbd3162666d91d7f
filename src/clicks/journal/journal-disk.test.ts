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
    let full = false
    const lost: [number, string][] = []
    const { journal, dir } = openTestJournal({
      onLoss: (count, error) => lost.push([count, error.message]),
      files: {
        // Behaves like Linux: writes as much as fits, then fails.
        writeSync: (fd, data, offset, length, at) => {
          if (!full) return fs.writeSync(fd, data, offset, length, at)
          if (offset > 0) throw new Error('ENOSPC: no space left on device')
          return fs.writeSync(fd, data, offset, 5, at)
        },
      },
    })
    await appendClick(journal, 1)
    full = true
    await appendClick(journal, 2)
    await appendClick(journal, 3)
    full = false
    await appendClick(journal, 4)
    expect(lost).toEqual([
      [1, 'ENOSPC: no space left on device'],
      [1, 'ENOSPC: no space left on device'],
    ])
    expect(journal.stats()).toMatchObject({ written: 2, lost: 2 })
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [1, 4] }])
  })

  test('abandons a segment that it cannot repair and starts a new one', async () => {
    let broken = false
    const { journal, dir } = openTestJournal({
      onLoss: () => {},
      files: {
        writeSync: (fd, data, offset, length, at) => {
          if (!broken) return fs.writeSync(fd, data, offset, length, at)
          fs.writeSync(fd, data, offset, 5, at)
          throw new Error('EIO')
        },
        ftruncateSync: () => {
          throw new Error('EIO')
        },
      },
    })
    await appendClick(journal, 1)
    broken = true
    await appendClick(journal, 2)
    broken = false
    await appendClick(journal, 3)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1] },
      { sequence: 2, ids: [3] },
    ])
  })

  test('continues a full segment if no new segment can be opened', async () => {
    let files = 0
    const { journal, dir } = openTestJournal({
      segmentBytes: 1,
      files: {
        openSync: (path, flags, mode) => {
          files += 1
          if (files > 1) throw new Error('EMFILE')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    for (const id of [1, 2]) await appendClick(journal, id)
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [1, 2] }])
  })

  test('counts clicks as lost while no file can be created', async () => {
    let available = false
    const lost: [number, string][] = []
    const { journal, dir } = openTestJournal({
      onLoss: (count, error) => lost.push([count, error.message]),
      files: {
        openSync: (path, flags, mode) => {
          if (!available) throw new Error('EROFS')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    await appendClick(journal, 1)
    available = true
    await appendClick(journal, 2)
    expect(lost).toEqual([[1, 'EROFS']])
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [2] }])
  })

  test('reports a failed sync and still calls back', async () => {
    const lost: [number, string][] = []
    const { journal } = openTestJournal({
      sync: 'fsync',
      onLoss: (count, error) => lost.push([count, error.message]),
      files: { fdatasync: (_, done) => done(new Error('EIO')) },
    })
    await appendClick(journal, 1)
    expect(lost).toEqual([[0, 'EIO']])
    expect(journal.stats()).toMatchObject({ written: 1, lost: 0 })
  })

  test('keeps an active segment marked as active if no new segment can be opened', async () => {
    useFakeIntervals()
    let files = 0
    const lost: [number, string][] = []
    const { journal, dir } = openTestJournal({
      onLoss: (count, error) => lost.push([count, error.message]),
      files: {
        openSync: (path, flags, mode) => {
          files += 1
          if (files === 2) throw new Error('EMFILE')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    await appendClick(journal, 1)
    const file = join(dir, readdirSync(dir)[0] ?? '')
    const before = Date.now() - 2000
    fs.utimesSync(file, 0, 0)
    vi.advanceTimersByTime(60_000)
    expect(lost).toEqual([[0, 'EMFILE']])
    expect(fs.statSync(file).mtimeMs).toBeGreaterThan(before)
    await appendClick(journal, 2)
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1, 2] },
      { sequence: 2, ids: [] },
    ])
  })
})
