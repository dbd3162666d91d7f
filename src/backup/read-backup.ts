import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { constants, createZstdDecompress } from 'node:zlib'
import { createByteReader } from './byte-reader.ts'
import {
  type Header,
  MAX_LINE,
  parseRecord,
  type RowsRecord,
  type TableRecord,
  VERSION,
} from './records.ts'
import { requireWholeFrames } from './whole-frames.ts'

/** What a backup holds, in order: the header, and for each table its name, its data and its end. */
export type BackupPart = Header | TableRecord | { data: Buffer } | RowsRecord

/** The writer's window is 2 MiB; a file may ask for a thousand times as much of the reader's memory. */
const WINDOW_LOG = 23

/** The file is not a backup, or not a whole one, or not what was once written. */
export class DamagedBackup extends Error {}

/**
 * Reads a backup in bounded memory and checks it on the way: only a reader that gets to the end
 * knows that it is whole.
 *
 * @throws DamagedBackup if it is not.
 */
export async function* readBackup(file: string): AsyncGenerator<BackupPart, void, undefined> {
  try {
    yield* readParts(file)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (error instanceof DamagedBackup || ['ENOENT', 'EACCES', 'EISDIR', 'EIO'].includes(code)) {
      throw error
    }
    throw new DamagedBackup(`${file} is not a complete backup: ${message}.`, { cause: error })
  }
}

async function* readParts(file: string): AsyncGenerator<BackupPart, void, undefined> {
  await requireWholeFrames(file)
  const source = createReadStream(file)
  const plain = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } })
  source.on('error', (error) => plain.destroy(error))
  try {
    yield* checkParts(source.pipe(plain))
  } finally {
    source.destroy()
    plain.destroy()
  }
}

async function* checkParts(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<BackupPart, void, undefined> {
  const reader = createByteReader(source)
  const hash = createHash('sha256')
  const first = await reader.line(MAX_LINE)
  const header = parseRecord(first)
  if (!('format' in header)) throw new Error('it does not begin like one')
  if (header.version !== VERSION) throw new Error('a newer program made it')
  hash.update(first)
  yield header
  const seen = { tables: 0, rows: 0, inTable: false }
  for (;;) {
    const line = await reader.line(MAX_LINE)
    const record = parseRecord(line)
    if ('end' in record) {
      const whole = record.tables === seen.tables && record.rows === seen.rows && !seen.inTable
      if (!whole) throw new Error('tables or rows are missing')
      if (record.sha256 !== hash.digest('hex')) throw new Error('its checksum is wrong')
      if (!(await reader.atEnd())) throw new Error('something follows its end')
      return
    }
    if ('format' in record || 'table' in record === seen.inTable)
      throw new Error('it is out of order')
    hash.update(line)
    if ('bytes' in record) {
      const data = await reader.bytes(record.bytes)
      hash.update(data)
      yield { data }
      continue
    }
    seen.inTable = 'table' in record
    if ('table' in record) seen.tables += 1
    else seen.rows += record.rows
    yield record
  }
}
