import fs, { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ClickRecord, readFrames } from './format.ts'
import { type JournalOptions, openJournal } from './journal.ts'
import { parseSegment } from './segment-name.ts'

describe('the click journal', () => {
  test('writes the clicks of one turn together, and tells afterwards', async () => {
    const { journal, dir } = open()
    const told: number[] = []
    for (const id of [1, 2, 3]) {
      journal.append(click(id), () => told.push(readSegments(dir).flatMap(({ ids }) => ids).length))
    }
    expect(told).toEqual([])
    await turn()
    expect(told).toEqual([3, 3, 3])
    expect(journal.stats()).toMatchObject({ written: 3, lost: 0, segments: 1 })
  })

  test('makes no file before the first click', async () => {
    const { journal, dir } = open()
    await journal.close()
    expect(readdirSync(dir)).toEqual([])
  })

  test('goes on in a new segment when one is full', async () => {
    const { journal, dir } = open({ segmentBytes: 100 })
    for (const id of [1, 2, 3]) await append(journal, id)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1, 2] },
      { sequence: 2, ids: [3] },
    ])
  })

  test('takes more in one turn than one frame holds', async () => {
    const { journal, dir } = open()
    const large = { ...click(1), userAgent: 'a'.repeat(512), referrer: 'b'.repeat(1024) }
    let told = 0
    for (let index = 0; index < 1000; index += 1) {
      journal.append(large, () => {
        told += 1
      })
    }
    await turn()
    expect(told).toBe(1000)
    expect(readSegments(dir).flatMap(({ ids }) => ids)).toHaveLength(1000)
  })

  test('with fsync tells when the disk has confirmed, later clicks by the next sync', async () => {
    const syncs: ((error: Error | null) => void)[] = []
    const { journal } = open({
      sync: 'fsync',
      files: { fdatasync: (_, done) => syncs.push(done) },
    })
    const told: number[] = []
    for (const id of [1, 2, 3]) {
      journal.append(click(id), () => told.push(id))
      await turn()
    }
    expect([told, syncs.length]).toEqual([[], 1])
    syncs[0]?.(null)
    await turn()
    expect([told, syncs.length]).toEqual([[1], 2])
    syncs[1]?.(null)
    await turn()
    expect(told).toEqual([1, 2, 3])
    const closed = journal.close()
    await turn()
    syncs[2]?.(null)
    await closed
  })

  test('on a full disk counts the loss, lets everyone go on, and recovers', async () => {
    let full = false
    const lost: [number, string][] = []
    const { journal, dir } = open({
      onLoss: (count, error) => lost.push([count, error.message]),
      files: {
        // As Linux does it: what still fits is written, then the call fails.
        writeSync: (fd, data, offset, length, at) => {
          if (!full) return fs.writeSync(fd, data, offset, length, at)
          if (offset > 0) throw new Error('ENOSPC: no space left on device')
          return fs.writeSync(fd, data, offset, 5, at)
        },
      },
    })
    await append(journal, 1)
    full = true
    await append(journal, 2)
    await append(journal, 3)
    full = false
    await append(journal, 4)
    expect(lost).toEqual([
      [1, 'ENOSPC: no space left on device'],
      [1, 'ENOSPC: no space left on device'],
    ])
    expect(journal.stats()).toMatchObject({ written: 2, lost: 2 })
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [1, 4] }])
  })

  test('leaves a segment that it cannot repair and goes on in the next', async () => {
    let broken = false
    const { journal, dir } = open({
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
    await append(journal, 1)
    broken = true
    await append(journal, 2)
    broken = false
    await append(journal, 3)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1] },
      { sequence: 2, ids: [3] },
    ])
  })

  test('goes on in a full segment when no other can be opened', async () => {
    let files = 0
    const { journal, dir } = open({
      segmentBytes: 1,
      files: {
        openSync: (path, flags, mode) => {
          files += 1
          if (files > 1) throw new Error('EMFILE')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    for (const id of [1, 2]) await append(journal, id)
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [1, 2] }])
  })

  test('counts clicks for which there is no file as lost, until there is one', async () => {
    let available = false
    const lost: [number, string][] = []
    const { journal, dir } = open({
      onLoss: (count, error) => lost.push([count, error.message]),
      files: {
        openSync: (path, flags, mode) => {
          if (!available) throw new Error('EROFS')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    await append(journal, 1)
    available = true
    await append(journal, 2)
    expect(lost).toEqual([[1, 'EROFS']])
    expect(readSegments(dir)).toEqual([{ sequence: 1, ids: [2] }])
  })

  test('says when the disk does not confirm, and still tells', async () => {
    const lost: [number, string][] = []
    const { journal } = open({
      sync: 'fsync',
      onLoss: (count, error) => lost.push([count, error.message]),
      files: { fdatasync: (_, done) => done(new Error('EIO')) },
    })
    await append(journal, 1)
    expect(lost).toEqual([[0, 'EIO']])
    expect(journal.stats()).toMatchObject({ written: 1, lost: 0 })
  })

  test('closes a segment with clicks a minute after it began, so that it can be deleted', async () => {
    useTimers()
    const { journal, dir } = open()
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toEqual([])
    await append(journal, 1)
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1] },
      { sequence: 2, ids: [] },
    ])
    await append(journal, 2)
    expect(readSegments(dir)).toMatchObject([{ ids: [1] }, { ids: [2] }])
  })

  test('shows by the time of a segment without clicks that it still has a writer', async () => {
    useTimers()
    const { journal, dir } = open()
    await append(journal, 1)
    vi.advanceTimersByTime(60_000)
    const file = join(dir, readdirSync(dir).sort()[1] ?? '')
    const before = Date.now() - 2000
    fs.utimesSync(file, 0, 0)
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toHaveLength(2)
    expect(fs.statSync(file).mtimeMs).toBeGreaterThan(before)
  })

  test('goes on in a segment that cannot be followed by another, and shows that', async () => {
    useTimers()
    let files = 0
    const lost: [number, string][] = []
    const { journal, dir } = open({
      onLoss: (count, error) => lost.push([count, error.message]),
      files: {
        openSync: (path, flags, mode) => {
          files += 1
          if (files === 2) throw new Error('EMFILE')
          return fs.openSync(path, flags, mode)
        },
      },
    })
    await append(journal, 1)
    const file = join(dir, readdirSync(dir)[0] ?? '')
    const before = Date.now() - 2000
    fs.utimesSync(file, 0, 0)
    vi.advanceTimersByTime(60_000)
    expect(lost).toEqual([[0, 'EMFILE']])
    expect(fs.statSync(file).mtimeMs).toBeGreaterThan(before)
    await append(journal, 2)
    vi.advanceTimersByTime(60_000)
    expect(readSegments(dir)).toEqual([
      { sequence: 1, ids: [1, 2] },
      { sequence: 2, ids: [] },
    ])
  })

  test('a callback that throws keeps nobody else from being told', async () => {
    const { journal } = open()
    const caught = new Promise((resolve) => process.once('uncaughtException', resolve))
    const listeners = process.listeners('uncaughtException').slice(0, -1)
    for (const listener of listeners) process.off('uncaughtException', listener)
    onTestFinished(() => {
      for (const listener of listeners) process.on('uncaughtException', listener)
    })
    journal.append(click(1), () => {
      throw new Error('a fault of the caller')
    })
    const told = new Promise<void>((done) => journal.append(click(2), done))
    await told
    expect(await caught).toMatchObject({ message: 'a fault of the caller' })
  })

  test('closing writes what waits; what comes after is counted as lost', async () => {
    const lost: number[] = []
    const { journal, dir } = open({ onLoss: (count) => lost.push(count) })
    let told = 0
    journal.append(click(1), () => {
      told += 1
    })
    await journal.close()
    expect([told, readSegments(dir)]).toEqual([1, [{ sequence: 1, ids: [1] }]])
    await append(journal, 2)
    expect(lost).toEqual([1])
  })
})

function open(options: Partial<JournalOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-journal-'))
  const journal = openJournal({
    dir,
    sync: 'background',
    onLoss: (_, error) => {
      throw error
    },
    ...options,
  })
  // Its timers would go on in the worker, beside the tests of other files.
  onTestFinished(async () => {
    await journal.close().catch(() => {})
    rmSync(dir, { recursive: true, force: true })
  })
  return { journal, dir }
}

/** Has the journal's timers run when the test says so; those of Node.js itself go on. */
function useTimers(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

function append(journal: ReturnType<typeof openJournal>, id: number): Promise<void> {
  return new Promise((done) => journal.append(click(id), done))
}

function readSegments(dir: string): { sequence: number; ids: number[] }[] {
  return readdirSync(dir)
    .sort()
    .map((file) => ({
      sequence: parseSegment(file)?.sequence ?? 0,
      ids: readFrames(readFileSync(join(dir, file))).records.map(({ linkId }) => linkId),
    }))
}

function click(linkId: number): ClickRecord {
  const [address, userAgent] = ['192.0.2.1', 'Firefox']
  return { linkId, at: 1_700_000_000_000, address, userAgent, referrer: '', languages: 'de' }
}
