import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { checkArchive, readArchive } from '../../src/backup/restore.ts'
import { migrate } from '../../src/db/migrate.ts'
import {
  type BackupFiles,
  backupTest,
  MANIFEST,
  runBackupCommand,
  runFailingCommand,
  updateManifest,
  writeBackup,
} from '../support/backups.ts'
import { runCommand } from '../support/command.ts'
import { openPatiently } from '../support/database.ts'
import { createEmptyDatabase, emptyDatabase } from '../support/empty-database.ts'
import { countContentRows, createFilledDatabase, readContent } from '../support/filled-database.ts'
import { run } from '../support/postgres.ts'

const test = backupTest()

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
    const service = openPatiently(target, { name: 'web' })
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
