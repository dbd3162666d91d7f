import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type ClickRecord,
  FRAME_HEADER,
  MAX_FRAME,
  MAX_RECORD,
  sealFrame,
  writeRecord,
} from './format.ts'
import { createWriterName, formatSegmentFile } from './segment-name.ts'
import { openJournalFolder } from './segments.ts'

describe('the ID of a journal folder', () => {
  test('is created once', () => {
    const dir = createFolder()
    const { id } = openJournalFolder(dir)
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(openJournalFolder(dir).id).toBe(id)
    expect(readdirSync(dir)).toEqual(['id'])
    expect(openJournalFolder(createFolder()).id).not.toBe(id)
  })

  test('is not replaced if damaged, because the database stores positions under it', () => {
    const dir = createFolder()
    writeFileSync(join(dir, 'id'), 'not an id')
    expect(() => openJournalFolder(dir)).toThrow("does not contain the journal's id")
    expect(readdirSync(dir)).toEqual(['id'])
  })

  test('throws if it cannot be read', () => {
    const dir = createFolder()
    mkdirSync(join(dir, 'id'))
    expect(() => openJournalFolder(dir)).toThrow('EISDIR')
  })
})

describe('the segments of a folder', () => {
  test('are listed by writer in order, without other files', () => {
    const dir = createFolder()
    const own = createWriterName()
    const other = createForeignWriterName()
    const names = [own, other].flatMap((writer) =>
      [2, 10, 1].map((n) => formatSegmentFile(writer, n)),
    )
    const now = new Date()
    for (const name of [...names, 'id.tmp', 'notes']) {
      writeFileSync(join(dir, name), 'abc')
      // With faketime, files are still created on the machine's date.
      utimesSync(join(dir, name), now, now)
    }
    const list = openJournalFolder(dir).list()
    for (const writer of [own, other]) {
      expect(list.filter((segment) => segment.writer === writer)).toMatchObject([
        { sequence: 1, size: 3, isFinal: true },
        { sequence: 2, size: 3, isFinal: true },
        { sequence: 10, size: 3, isFinal: false },
      ])
    }
    expect(list).toHaveLength(6)
  })

  test('are skipped if deleted during listing', () => {
    const dir = createFolder()
    symlinkSync(join(dir, 'nowhere'), join(dir, formatSegmentFile(createWriterName(), 1)))
    expect(openJournalFolder(dir).list()).toEqual([])
  })

  test('of a writer on another host are final after ten minutes without activity', () => {
    const dir = createFolder()
    const file = formatSegmentFile(createForeignWriterName(), 1)
    writeFileSync(join(dir, file), 'abc')
    const folder = openJournalFolder(dir)
    const listFinalAfter = (seconds: number) => {
      const then = Date.now() / 1000 - seconds
      utimesSync(join(dir, file), then, then)
      return folder.list().map(({ isFinal }) => isFinal)
    }
    expect(listFinalAfter(540)).toEqual([false])
    expect(listFinalAfter(660)).toEqual([true])
  })
})

describe('reading a segment', () => {
  test('continues where it ended', () => {
    const { read } = createSegment(Buffer.concat([createFrame(1, 2), createFrame(3)]))
    const first = read(0, 1)
    expect(listIds(first)).toEqual([1, 2])
    const second = read(first.offset, 1)
    expect(listIds(second)).toEqual([3])
    expect(read(second.offset, 1)).toEqual({
      records: [],
      offset: second.offset,
      skippedBytes: 0,
      hasPartialEnd: false,
    })
  })

  test('waits for an incomplete frame to be completed', () => {
    const completeFrame = createFrame(1)
    const { read } = createSegment(Buffer.concat([completeFrame, createFrame(2).subarray(0, 20)]))
    expect(read(0, 10)).toMatchObject({
      offset: completeFrame.length,
      skippedBytes: 0,
      hasPartialEnd: true,
    })
    expect(read(completeFrame.length, 10)).toMatchObject({
      records: [],
      offset: completeFrame.length,
      hasPartialEnd: true,
    })
  })

  test('skips damage longer than any frame', () => {
    const damage = Buffer.alloc(2 * (FRAME_HEADER + MAX_FRAME) + 5, 'x')
    const { read, size } = createSegment(Buffer.concat([damage, createFrame(7)]))
    let position = 0
    let skipped = 0
    const ids: number[] = []
    while (position < size) {
      const result = read(position, 10)
      expect(result.offset).toBeGreaterThan(position)
      expect(result.hasPartialEnd).toBe(false)
      ids.push(...listIds(result))
      skipped += result.skippedBytes
      position = result.offset
    }
    expect([ids, skipped]).toEqual([[7], damage.length])
  })
})

function createFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-folder-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Creates a folder with one segment of these bytes. */
function createSegment(bytes: Buffer) {
  const dir = createFolder()
  const file = formatSegmentFile(createWriterName(), 1)
  writeFileSync(join(dir, file), bytes)
  const folder = openJournalFolder(dir)
  const read = (position: number, limit: number) => folder.read(file, position, limit)
  return { read, size: bytes.length }
}

/** Returns the name of a writer on another host, whose state cannot be determined here. */
function createForeignWriterName(): string {
  const [pid, started, , id] = createWriterName().split('.')
  return [pid, started, '00000000', id].join('.')
}

function createFrame(...ids: number[]): Buffer {
  const buffer = Buffer.alloc(FRAME_HEADER + ids.length * MAX_RECORD)
  const end = ids.reduce((offset, id) => writeRecord(buffer, offset, createClick(id)), FRAME_HEADER)
  return sealFrame(buffer, end)
}

function createClick(linkId: number): ClickRecord {
  const address = '192.0.2.1'
  const userAgent = 'Firefox'
  return { linkId, at: 1_700_000_000_000, address, userAgent, referrer: '', languages: 'de' }
}

function listIds({ records }: { records: ClickRecord[] }): number[] {
  return records.map(({ linkId }) => linkId)
}
