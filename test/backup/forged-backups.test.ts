import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { describe, expect } from 'vitest'
import { backupTest, MANIFEST, updateManifest, writeBackup } from '../support/backups.ts'

const MIB = 1 << 20

const test = backupTest()

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
