import { createHash } from 'node:crypto'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import { restore } from '../../src/backup/restore.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/pool.ts'
import { createEmptyDatabase, emptyDatabase } from '../support/empty-database.ts'
import { contentOf, countAll, currentDatabase } from '../support/filled-database.ts'
import { run } from '../support/postgres.ts'
import { folderTest } from '../support/test.ts'

const now = new Date('2026-11-21T10:00:00Z')

const test = folderTest()
  /** A whole backup and its bytes, which the tests damage copies of. */
  .extend('file', { scope: 'file' }, async ({ folder }) => {
    const file = join(folder, 'whole')
    await backUp({ databaseUrl: await currentDatabase(), file, now })
    return file
  })
  .extend('bytes', { scope: 'file' }, ({ file }) => readFile(file))
  .extend('makeEmpty', { scope: 'file' }, () => createEmptyDatabase)
  /** An empty database that no refused backup may leave anything in. */
  .extend('untouched', { scope: 'file' }, async ({ makeEmpty }, { onCleanup }) => {
    const untouched = await makeEmpty()
    onCleanup(untouched.drop)
    return untouched
  })
  /** The backup with its plain content changed; `sealed` makes its checksum right again. */
  .extend(
    'edited',
    { scope: 'file' },
    ({ bytes, folder }) =>
      async (edit: (text: string) => string, { sealed = false } = {}): Promise<string> => {
        const plain = zstdDecompressSync(bytes).toString('latin1')
        let text = edit(plain)
        expect(text).not.toBe(plain)
        if (sealed) {
          const body = text.slice(0, text.lastIndexOf('{"end"'))
          const sha256 = createHash('sha256').update(Buffer.from(body, 'latin1')).digest('hex')
          text = body + text.slice(body.length).replace(/[0-9a-f]{64}/, sha256)
        }
        return write(folder, 'edited', zstdCompressSync(Buffer.from(text, 'latin1')))
      },
  )

test('what these tests damage is a backup that can be restored', async ({ file }) => {
  const target = await emptyDatabase()
  const { rows } = await restore({ databaseUrl: target, file })
  expect(countAll(await contentOf(target))).toBe(rows)
})

describe('a restore refuses, and leaves the database as it was', () => {
  test.for([1, 100, 0.5, 0.99])(
    'a file that ends early (at %d)',
    async (share, { folder, bytes, untouched }) => {
      const cut = join(folder, 'cut')
      await writeFile(cut, bytes)
      await truncate(cut, share < 1 ? Math.floor(bytes.length * share) : bytes.length - share)
      await expectRefused(untouched, cut, 'cut is not a complete backup')
    },
  )

  test.for([0, 0.2, 0.5, 0.9])(
    'a file with a byte that is not what it was (at %d)',
    async (at, { bytes, untouched, folder }) => {
      const place = Math.floor(bytes.length * at)
      const bad = Buffer.from(bytes)
      bad[place] = (bad[place] ?? 0) ^ 0x55
      await expectRefused(
        untouched,
        await write(folder, 'bad', bad),
        'bad is not a complete backup',
      )
    },
  )

  test.for<[string, (text: string) => string]>([
    ['nothing', () => ''],
    ['no end', (text) => text.slice(0, text.lastIndexOf('{"end"'))],
    ['something after its end', (text) => `${text}\n`],
    ['a table less', (text) => text.replace(/\{"table":"pixels"[\s\S]*?(?=\{"table")/, '')],
    ['another value', (text) => text.replace('https://example.com/qr', 'https://example.org/qr')],
    ['a count that is wrong', (text) => text.replace('{"rows":2,', '{"rows":3,')],
    ['no header', (text) => text.slice(text.indexOf('\n') + 1)],
    ['a line without end', (text) => `{"format":"${'x'.repeat(2 << 20)}`.concat(text)],
    ['a piece without measure', (text) => text.replace(/"bytes":\d+/, '"bytes":99999999999')],
  ])('a file with %s', async ([_, edit], { untouched, edited }) => {
    await expectRefused(untouched, await edited(edit), 'edited is not a complete backup')
  })

  test('a backup in a newer format', async ({ edited, untouched }) => {
    const newer = await edited((text) => text.replace('"version":1', '"version":2'))
    await expectRefused(untouched, newer, 'a newer program made it')
  })

  test('a file that is something else', async ({ untouched, folder }) => {
    await expectRefused(
      untouched,
      await write(folder, 'other', Buffer.from('-- SQL\n')),
      'is not a complete backup',
    )
    await expectRefused(untouched, join(folder, 'nowhere'), 'ENOENT')
  })

  test('a backup with a migration that this program does not know, or knows otherwise', async ({
    folder,
    untouched,
  }) => {
    const source = await currentDatabase()
    const later = join(folder, 'later')
    await run(source, [`insert into migrations (name, checksum) values ('9999-later', 'x')`])
    await backUp({ databaseUrl: source, file: later, now })
    await expectRefused(
      untouched,
      later,
      'The backup is newer than this program: it has migration 9999-later.',
    )
    await run(source, [
      `delete from migrations where name = '9999-later'`,
      `update migrations set checksum = 'x' where name = '0001-schema'`,
    ])
    await backUp({ databaseUrl: source, file: later, now })
    await expectRefused(
      untouched,
      later,
      'Migration 0001-schema was changed after the backup was made.',
    )
  })

  test('a backup whose rows break the rules of the schema', async ({ edited }) => {
    // Right in every checksum, but an account is not there that others point to.
    const broken = await edited((text) => text.replace('\n2\tBert@', '\n3\tBert@'), {
      sealed: true,
    })
    const target = await emptyDatabase()
    await expect(restore({ databaseUrl: target, file: broken })).rejects.toThrow(
      'violates foreign key constraint',
    )
    expect(countAll(await contentOf(target))).toBe(0)
  })

  test('a database that has accounts', async ({ file }) => {
    const target = await currentDatabase()
    const before = await contentOf(target)
    await expect(restore({ databaseUrl: target, file })).rejects.toThrow(
      'The database has accounts. Restore into an empty one.',
    )
    expect(await contentOf(target)).toEqual(before)
  })

  test('a database with a newer schema than the backup', async ({ file }) => {
    const target = await emptyDatabase()
    await migrate(target)
    await run(target, [`insert into migrations (name, checksum) values ('9999-later', 'x')`])
    await expect(restore({ databaseUrl: target, file })).rejects.toThrow(
      'The database has migration 9999-later, which the backup lacks. Restore into a new one.',
    )
  })

  test('a database that the service is running on', async ({ file }) => {
    const target = await emptyDatabase()
    const service = openDatabase({ url: target, name: 'web' })
    try {
      await service.pool.query('select 1')
      await expect(restore({ databaseUrl: target, file })).rejects.toThrow(
        'The service is running. Stop it before a restore.',
      )
    } finally {
      await service.close()
    }
  })
})

async function expectRefused(
  untouched: Awaited<ReturnType<typeof createEmptyDatabase>>,
  refused: string,
  message: string,
): Promise<void> {
  await expect(restore({ databaseUrl: untouched.url, file: refused })).rejects.toThrow(message)
  expect((await contentOf(untouched.url)).size).toBe(0)
}

async function write(folder: string, name: string, content: Buffer): Promise<string> {
  const place = join(folder, name)
  await writeFile(place, content)
  return place
}
