import { createWriteStream } from 'node:fs'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { checkArchive, readArchive } from '../../src/backup/read-archive.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/pool.ts'
import {
  type BackupFiles,
  readBackup,
  runBackupCommand,
  runFailingCommand,
  updateManifest,
  writeBackup,
} from '../support/backups.ts'
import { runCommand } from '../support/command.ts'
import { createEmptyDatabase, emptyDatabase } from '../support/empty-database.ts'
import { countContentRows, createFilledDatabase, readContent } from '../support/filled-database.ts'
import { run } from '../support/postgres.ts'
import { folderTest } from '../support/test.ts'

const MIB = 1 << 20
const MANIFEST = 'manifest.json'

const test = folderTest()
  .extend('makeEmpty', { scope: 'file' }, () => createEmptyDatabase)
  /** An empty database in which a rejected backup must not leave rows. */
  .extend('target', { scope: 'file' }, async ({ makeEmpty }, { onCleanup }) => {
    const target = await makeEmpty()
    onCleanup(target.drop)
    return target.url
  })
  /** A complete backup. The tests damage copies of it. */
  .extend('file', { scope: 'file' }, async ({ folder }) => {
    const file = join(folder, 'whole')
    await runBackupCommand('backup', await createFilledDatabase(), file)
    return file
  })
  .extend('files', { scope: 'file' }, ({ file }) => readBackup(file))
  .extend(
    'expectRejected',
    { scope: 'file' },
    ({ target }) =>
      async (file: string, message: RegExp | string): Promise<void> => {
        expect(await runFailingCommand('restore', target, file)).toMatch(message)
        expect(countContentRows(await readContent(target))).toBe(0)
      },
  )

test('the backup can be restored before these tests damage it', async ({ folder, files }) => {
  const target = await emptyDatabase()
  const file = await writeBackup(join(folder, 'repacked'), updateManifest(new Map(files)))
  const { rows } = await runBackupCommand('restore', target, file)
  expect(countContentRows(await readContent(target))).toBe(rows)
})

describe('restore rejects, with one line and without changing the database,', () => {
  // At least 1: the bytes to remove. Below 1: the share to keep.
  test.for([1, 5, 100, 0.5, 0.99])(
    'a truncated file (%d)',
    async (share, { folder, file, expectRejected }) => {
      const cut = join(folder, 'cut')
      const bytes = await readFile(file)
      await writeFile(cut, bytes)
      await truncate(cut, share < 1 ? Math.floor(bytes.length * share) : bytes.length - share)
      await expectRejected(cut, 'cut is not a complete backup: unexpected end of file')
    },
  )

  test('another kind of file', async ({ folder, file, expectRejected }) => {
    const other = join(folder, 'other')
    await writeFile(other, '-- SQL\n')
    await expectRejected(other, 'other is not a complete backup: it is not a Zstandard file.')
    await writeFile(other, '')
    await expectRejected(other, 'other is not a complete backup: unexpected end of file.')
    await writeBackup(other, [['notes.txt', 'x']])
    await expectRejected(other, 'it has no manifest.json')
    await writeBackup(other, [[MANIFEST, '{"name": "an extension"}']])
    await expectRejected(other, 'its manifest.json was not written by Brevis')
    await writeFile(other, Buffer.concat([await readFile(file), Buffer.from('more')]))
    await expectRejected(other, 'other is not a complete backup: something follows its end.')
    await expectRejected(join(folder, 'nowhere'), 'ENOENT')
  })

  const name = 'pixels.00001.copy'
  const duplicateFile = (file: [string, string]) => (file[0] === name ? [file, file] : [file])
  test.for<[string, (files: BackupFiles) => Iterable<[string, string]>, string]>([
    ['no manifest', (files) => [...files].slice(0, -1), 'it has no manifest.json'],
    ['a file after it', (files) => [...files, ['more', '']], 'something follows its manifest'],
    ['a missing file', (files) => [...files].filter(([key]) => key !== name), 'missing or damaged'],
    ['an additional file', (files) => [['more', ''], ...files], 'missing or damaged'],
    ['a duplicate file', (files) => [...files].flatMap(duplicateFile), 'missing or damaged'],
    ['two files swapped', (files) => [...files].reverse(), 'something follows its manifest'],
    ['a changed file', (files) => new Map(files).set(name, 'x'), `${name} is missing or damaged`],
    [
      'a path outside the folder',
      (files) => [['../'.repeat(40), ''], ...files],
      'something other than the files',
    ],
  ])('a backup with %s', async ([_, edit, message], { files, folder, expectRejected }) => {
    await expectRejected(await writeBackup(join(folder, 'edited'), edit(files)), message)
  })

  test('a database with accounts', async ({ file }) => {
    const target = await createFilledDatabase()
    const before = await readContent(target)
    const message = 'brevis: The database has accounts. Restore into an empty one.\n'
    expect(await runFailingCommand('restore', target, file)).toBe(message)
    expect(await readContent(target)).toEqual(before)
  })

  test('a database with a newer schema than the backup', async ({ file }) => {
    const target = await emptyDatabase()
    await migrate(target)
    await run(target, [`insert into migrations (name, checksum) values ('9999-later', 'x')`])
    expect(await runFailingCommand('restore', target, file)).toContain(
      'The database has migration 9999-later, which the backup lacks. Restore into a new one.',
    )
  })

  test('a database in use by the service', async ({ file }) => {
    const target = await emptyDatabase()
    const service = openDatabase({ url: target, name: 'web' })
    try {
      await service.pool.query('select 1')
      expect(await runFailingCommand('restore', target, file)).toContain(
        'The service is running. Stop it before a restore.',
      )
    } finally {
      await service.close()
    }
  })
})

// All checksums are valid, as in a deliberate forgery.
describe('restore rejects a forged backup with one line and stores none of its rows', () => {
  const accounts = 'accounts.00001.copy'
  const pixels = 'pixels.00001.copy'
  const months = Array.from({ length: 2401 }, (_, index) => `"clicks_${1000 + index}_01",`).join('')

  const tables = 'other tables than the schema'
  test.for<[string, string | RegExp, string, string]>([
    ['a newer format', '"formatVersion":1', '"formatVersion":2', 'a newer version of Brevis'],
    ['an older format', '"formatVersion":1', '"formatVersion":0', 'damaged (/formatVersion)'],
    ['a newer schema', '"name":"0001', '"name":"0000', 'newer than this program: it has migration'],
    [
      'another schema',
      /"checksum":"\w{8}/,
      '"checksum":"00000000',
      '0001-schema differs from the one',
    ],
    ['a system table', '"pixels"', '"pg_authid"', `${tables}: pg_authid`],
    ['the record of migrations', '"pixels"', '"migrations"', `${tables}: migrations`],
    ['a statement as a table name', '"pixels"', '"a\\"; drop"', `${tables}: a"; drop`],
    ['a duplicate table', '"pixels"', '"overlays"', `${tables}: overlays`],
    ['a duplicate column', /("pixels","columns":\["id)/, '$1","id', `${tables}: pixels (id, id, `],
    ['no columns', /("pixels","columns":)\[[^\]]*\]/, '$1[]', `${tables}: pixels ()`],
    ['another identity column', '"identity":"id"', '"identity":"email"', 'numbered by email'],
    ['an invalid month', '"clicks_2', '"clicks_0', 'is damaged (/partitions/0)'],
    ['too many months', '"partitions":[', `"partitions":[${months}`, 'is damaged (/partitions)'],
    ['a number that is too large', /"last":[1-9]\d*/, '"last":1e300', 'is damaged (/tables/'],
    ['invalid JSON', '{', '', 'is not a complete backup: Unexpected'],
    [
      'too many rows',
      /("accounts",.*?"rows":)2/,
      '$13',
      '2 rows of accounts were loaded instead of 3',
    ],
    ['an escape sequence in a time', '"createdAt":"', '$&\\u001b[2J', 'damaged (/createdAt)'],
    ['an escape sequence in a migration', '"name":"0001-', '$&\\u001b[2J', '0001-\ufffd[2J'],
  ])('%s in the manifest', async ([_, from, to, message], { files, folder, expectRejected }) => {
    const forged = updateManifest(new Map(files))
    const manifest = forged.get(MANIFEST) ?? ''
    const edited = manifest.replace(from, to)
    expect(edited).not.toBe(manifest)
    await expectRejected(
      await writeBackup(join(folder, 'forged'), forged.set(MANIFEST, edited)),
      message,
    )
  })

  test('a missing table', async ({ files, folder, expectRejected }) => {
    const forged = updateManifest(new Map(files))
    const manifest = (forged.get(MANIFEST) ?? '').replace(/\{"name":"pixels".*?\}\]\},/, '')
    forged.delete(pixels)
    const file = await writeBackup(join(folder, 'forged'), forged.set(MANIFEST, manifest))
    await expectRejected(file, 'other tables than the schema')
  })

  test.for([
    [
      'a missing account',
      '\n3\t',
      'break the rules of the schema: .*violates foreign key constraint',
    ],
    ['an end within a table', '\n\\.\n2\t', 'end-of-copy marker|rows of accounts were loaded'],
    ['text for a number', `\n${'x'.repeat(5000)}\u001b[2J`, 'invalid input syntax for type bigint'],
  ] as const)('%s', async ([_, to, message], { files, folder, expectRejected }) => {
    const edited = (files.get(accounts) ?? '').replace('\n2\t', () => to)
    const forged = updateManifest(new Map(files).set(accounts, edited))
    await expectRejected(await writeBackup(join(folder, 'forged'), forged), new RegExp(message))
  })
})

describe('restore rejects, with limited memory, a forged backup with', () => {
  test.for<[string, Record<number, number>, string, number, string]>([
    ['a window of 128 MiB', { [constants.ZSTD_c_windowLog]: 27 }, 'x', 1, 'too much memory'],
    ['a manifest of 256 MiB', {}, MANIFEST, 256 * MIB, 'something other than the files'],
    ['a file of 256 MiB', {}, 'pixels.00001.copy', 256 * MIB, 'is not a complete backup'],
    ['a header of 256 MiB', {}, '././@LongLink', 256 * MIB, 'Header exceeds max size'],
  ])('%s', async ([_, params, name, size, message], { folder, expectRejected }) => {
    // The header of a file in a tar archive: name, size, type, format and checksum.
    const header = Buffer.alloc(512)
    header.write(name)
    header.write(size.toString(8).padStart(11, '0'), 124)
    header.write(name.startsWith('.') ? 'L' : '0', 156)
    header.write('ustar\u000000', 257)
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(sum.toString(8).padStart(6, '0'), 148)
    const bombPath = join(folder, 'bomb')
    const blocks = function* () {
      yield header
      for (let remaining = size; remaining > 0; remaining -= MIB)
        yield Buffer.alloc(Math.max(MIB, 512), 'x')
    }
    await pipeline(
      Readable.from(blocks()),
      createZstdCompress({ params }),
      createWriteStream(bombPath),
    )
    const before = process.memoryUsage().rss
    let peak = before
    const sampling = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    await expectRejected(bombPath, message)
    clearInterval(sampling)
    expect(peak - before).toBeLessThan(128 * MIB)
  })
})

describe('a backup with random changes', () => {
  test('is either read unchanged or rejected with one line', async ({ file, folder }) => {
    const bytes = await readFile(file)
    const content = zstdDecompressSync(bytes)
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      cut: fc.integer({ min: 0, max: 64 }),
      put: fc.uint8Array({ maxLength: 64 }),
    })
    const changed = join(folder, 'changed')
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let after = bytes
        for (const { at, cut, put } of changes) {
          const offset = Math.floor(at * after.length)
          after = Buffer.concat([after.subarray(0, offset), put, after.subarray(offset + cut)])
        }
        await writeFile(changed, after)
        const outcome = await checkArchive(readArchive(changed)).then(
          () => 'read',
          (error: Error) => error.message,
        )
        // Zstandard can encode the same content in several ways.
        if (outcome === 'read') expect(zstdDecompressSync(after).equals(content)).toBe(true)
        else expect(outcome).toMatch(/^[^\n]*changed is not a complete backup: .*\.$/)
      }),
      { numRuns: 100 },
    )
  })

  test('and valid checksums is restored completely or not at all', async ({ files, folder }) => {
    const edit = fc.record({
      kind: fc.constantFrom('drop', 'repeat', 'swap', 'digit'),
      name: fc.constantFrom(...[...files.keys()].filter((name) => name.endsWith('.copy'))),
      line: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(edit, async ({ kind, name, line }) => {
        const lines = (files.get(name) ?? '').split('\n').slice(0, -1)
        const at = line % Math.max(lines.length, 1)
        const text = lines[at] ?? ''
        if (kind === 'drop') lines.splice(at, 1)
        if (kind === 'repeat') lines.splice(at, 0, text)
        if (kind === 'swap') lines.splice(at, 2, ...lines.slice(at, at + 2).reverse())
        if (kind === 'digit') lines[at] = text.replace(/\d/, '7')
        const forged = updateManifest(
          new Map(files).set(name, lines.map((row) => `${row}\n`).join('')),
        )
        const database = await createEmptyDatabase()
        try {
          const file = await writeBackup(join(folder, 'forged'), forged)
          const env = { DATABASE_URL: database.url }
          const outcome = await runCommand(['restore', file, '--json'], { env })
          const rows = outcome.code === 0 ? JSON.parse(outcome.stdout).rows : 0
          expect(countContentRows(await readContent(database.url))).toBe(rows)
        } finally {
          await database.drop()
        }
      }),
      { numRuns: 12 },
    )
  })
})
