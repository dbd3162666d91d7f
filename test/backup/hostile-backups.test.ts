import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import { DamagedBackup, readBackup } from '../../src/backup/read-backup.ts'
import { restore } from '../../src/backup/restore.ts'
import { describeFailure } from '../../src/cli/failure.ts'
import { createEmptyDatabase } from '../support/empty-database.ts'
import { contentOf, countAll, currentDatabase } from '../support/filled-database.ts'
import { folderTest } from '../support/test.ts'

const MIB = 1 << 20

const test = folderTest()
  .extend('makeTarget', { scope: 'file' }, () => createEmptyDatabase)
  .extend('target', { scope: 'file' }, async ({ makeTarget }, { onCleanup }) => {
    const target = await makeTarget()
    onCleanup(target.drop)
    return target
  })
  /** A whole backup, compressed. */
  .extend('bytes', { scope: 'file' }, async ({ folder }) => {
    const file = join(folder, 'whole')
    const now = new Date('2026-11-21T10:00:00Z')
    await backUp({ databaseUrl: await currentDatabase(), file, now })
    return readFile(file)
  })
  /** The same as its lines. */
  .extend('plain', { scope: 'file' }, ({ bytes }) => zstdDecompressSync(bytes).toString('latin1'))
  .extend(
    'expectRefused',
    { scope: 'file' },
    ({ folder, target }) =>
      async (packed: Buffer, message: RegExp): Promise<void> => {
        const file = await write(folder, packed)
        const error = await restore({ databaseUrl: target.url, file }).then(
          () => expect.fail('it was restored'),
          (reason: unknown) => reason,
        )
        expectOneLine(error)
        expect(describeFailure(error)).toMatch(message)
        expect(countAll(await contentOf(target.url))).toBe(0)
      },
  )

test('what these tests change is a backup that can be read', async ({ folder, bytes }) => {
  expect(await outcomeOf(folder, bytes)).toBe('read')
})

/** Every checksum in them is right: somebody made them on purpose. */
describe('a forged backup is refused in one line, and nothing of it stays', () => {
  test.for<[string, (text: string) => string, RegExp]>([
    [
      'a table of the system',
      name('"table":"pixels"', '"table":"pg_authid"'),
      /no table pg_authid/,
    ],
    ['the record of migrations', name('"table":"pixels"', '"table":"migrations"'), /no table migr/],
    ['a table of another schema', name('"table":"pixels"', '"table":"public.pixels"'), /damaged/],
    ['a path for a table', name('"table":"pixels"', '"table":"../../etc/passwd"'), /damaged/],
    ['a statement for a table', name('"table":"pixels"', '"table":"a\\"; drop"'), /damaged/],
    [
      'a column that is not there',
      name('"table":"pixels","columns":["id"', '"table":"pixels","columns":["oid"'),
      /no column oid/,
    ],
    [
      'a column twice',
      name('"table":"pixels","columns":["id"', '"table":"pixels","columns":["id","id"'),
      /damaged/,
    ],
    [
      'no columns',
      (text) => text.replace(/("table":"pixels","columns":)\[[^\]]*\]/, '$1[]'),
      /damaged/,
    ],
    ['a table twice', twice, /pixels twice/],
    ['a table less', without, /break the rules of the schema: .*foreign key/],
    [
      'a column that numbers nothing',
      name('"identity":"id"', '"identity":"email"'),
      /does not number/,
    ],
    ['a month for what has none', name('"months":[]', '"months":[24000]'), /has no months/],
    ['a month that is none', name('"months":[2', '"months":[-1,2'), /damaged/],
    [
      'a hundred thousand months',
      (text) =>
        text.replace(
          /"months":\[(?=2)/,
          `"months":[${Array.from({ length: 100_000 }, (_, index) => 24_000 + index).join()},`,
        ),
      /damaged/,
    ],
    [
      'a number beyond every sequence',
      (text) => text.replace(/"last":[1-9]\d*/, '"last":1e300'),
      /./,
    ],
    [
      'a moment that moves the cursor',
      (text) => text.replace(/"madeAt":"[^"]*"/, '"madeAt":"\\u001b[2J"'),
      /damaged/,
    ],
    [
      'a migration that moves the cursor',
      name('"name":"0001-schema"', '"name":"0001-\\u001b[2J"'),
      /damaged/,
    ],
    ['an older format', name('"version":1', '"version":0'), /./],
    ['an end within a table', name('\n2\tBert@', '\n\\.\n2\tBert@'), /./],
    [
      'text where a number belongs',
      name('\n2\tBert@', `\n${'x'.repeat(5000)}\u001b[2J\tBert@`),
      /./,
    ],
  ])('%s', async ([_, edit, message], { plain, expectRefused }) => {
    const forged = edit(plain)
    expect(forged).not.toBe(plain)
    await expectRefused(seal(forged), message)
  })
})

describe('what it asks of memory is bounded', () => {
  test('a window of 128 MiB', async ({ folder, plain, expectRefused }) => {
    const file = join(folder, 'window')
    const params = { [constants.ZSTD_c_windowLog]: 27 }
    await pipeline(Readable.from([plain]), createZstdCompress({ params }), createWriteStream(file))
    await expectRefused(await readFile(file), /complete backup: Frame requires too much memory/)
  })

  test.for([
    ['a line', [`{"format":"`]],
    ['one piece after the other', ['header', 'table']],
  ] as const)(
    '%s that goes on for 256 MiB',
    { timeout: 60_000 },
    async ([_, start], { folder, plain, expectRefused }) => {
      const file = join(folder, 'bomb')
      const filler = Buffer.alloc(MIB, 'x')
      const lines = plain.split('\n')
      const piece = Buffer.concat([Buffer.from(`{"bytes":${MIB}}\n`), filler])
      await pipeline(
        async function* () {
          if (start[0] === 'header') yield Buffer.from(`${lines[0]}\n${lines[1]}\n`)
          else yield Buffer.from(start[0] ?? '')
          for (let count = 0; count < 256; count += 1) yield start[0] === 'header' ? piece : filler
        },
        createZstdCompress(),
        createWriteStream(file),
      )
      const packed = await readFile(file)
      expect(packed.length).toBeLessThan(MIB)
      const before = process.memoryUsage().rss
      let peak = before
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss)
      }, 20)
      await expectRefused(packed, /complete backup/)
      clearInterval(watch)
      expect(peak - before).toBeLessThan(128 * MIB)
    },
  )
})

describe('whatever is changed in it', () => {
  test('in the file: it is read as it was, or called damaged in one line', async ({
    bytes,
    folder,
    plain,
  }) => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      cut: fc.integer({ min: 0, max: 64 }),
      put: fc.uint8Array({ maxLength: 64 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let changed = bytes
        for (const { at, cut, put } of changes) {
          const place = Math.floor(at * changed.length)
          changed = Buffer.concat([changed.subarray(0, place), put, changed.subarray(place + cut)])
        }
        const outcome = await outcomeOf(folder, changed)
        if (changed.equals(bytes)) expect(outcome).toBe('read')
        // Zstandard has more than one way to write a thing: other bytes may well say the same.
        if (outcome === 'read') {
          expect(zstdDecompressSync(changed).toString('latin1') === plain).toBe(true)
        }
      }),
      { numRuns: 100 },
    )
  }, 60_000)

  test('in its lines, with a right checksum: all of it is restored or nothing', async ({
    plain,
    folder,
  }) => {
    const lines = plain.split('\n')
    const line = fc.integer({ min: 0, max: lines.length - 2 })
    const edits = fc.oneof(
      fc.record({ kind: fc.constant('drop' as const), line }),
      fc.record({ kind: fc.constant('repeat' as const), line }),
      fc.record({ kind: fc.constant('swap' as const), line }),
      fc.record({ kind: fc.constant('digit' as const), line }),
    )
    await fc.assert(
      fc.asyncProperty(edits, async (edit) => {
        const forged = [...lines]
        const text = forged[edit.line] ?? ''
        if (edit.kind === 'drop') forged.splice(edit.line, 1)
        if (edit.kind === 'repeat') forged.splice(edit.line, 0, text)
        if (edit.kind === 'swap') forged.splice(edit.line, 2, forged[edit.line + 1] ?? '', text)
        if (edit.kind === 'digit') forged[edit.line] = text.replace(/\d/, '7')
        const database = await createEmptyDatabase()
        try {
          const file = await write(folder, seal(forged.join('\n')))
          const done = await restore({ databaseUrl: database.url, file }).catch(expectOneLine)
          expect(countAll(await contentOf(database.url))).toBe(done?.rows ?? 0)
        } finally {
          await database.drop()
        }
      }),
      { numRuns: 12 },
    )
  }, 120_000)
})

function name(from: string, to: string) {
  return (text: string) => text.replace(from, () => to)
}

function twice(text: string): string {
  return text.replace(/\{"table":"pixels"[\s\S]*?(?=\{"table")/, (section) => section + section)
}

function without(text: string): string {
  return text.replace(/\{"table":"pixels"[\s\S]*?(?=\{"table")/, '')
}

/** Makes the end right for what stands before it: its tables, its rows, the sizes of pieces and the sum. */
function seal(text: string): Buffer {
  const body = text
    .slice(0, text.lastIndexOf('{"end"'))
    .replace(
      /\{"bytes":\d+\}\n([\s\S]*?)(?=\{"(?:rows|bytes)":)/g,
      (_, piece: string) => `{"bytes":${piece.length}}\n${piece}`,
    )
  const count = (pattern: RegExp) => [...body.matchAll(pattern)]
  const rows = count(/^\{"rows":(\d+)/gm).reduce((sum, [, found]) => sum + Number(found), 0)
  const end = {
    end: true,
    tables: count(/^\{"table":/gm).length,
    rows,
    sha256: createHash('sha256').update(Buffer.from(body, 'latin1')).digest('hex'),
  }
  return zstdCompressSync(Buffer.from(`${body}${JSON.stringify(end)}\n`, 'latin1'))
}

function expectOneLine(error: unknown): undefined {
  const line = describeFailure(error)
  expect(line).toMatch(/^[^\p{Cc}]+$/u)
  expect(line.length).toBeLessThanOrEqual(1000)
  return undefined
}

async function outcomeOf(folder: string, packed: Buffer): Promise<'read' | 'damaged'> {
  try {
    for await (const _ of readBackup(await write(folder, packed)));
    return 'read'
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedBackup)
    expectOneLine(error)
    return 'damaged'
  }
}

async function write(folder: string, packed: Buffer): Promise<string> {
  const file = join(folder, 'backup')
  await writeFile(file, packed)
  return file
}
