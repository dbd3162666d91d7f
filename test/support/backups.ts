import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { expect } from 'vitest'
import { type Outcome, runCommand } from './command.ts'
import { createEmptyDatabase } from './empty-database.ts'
import { countContentRows, createFilledDatabase, readContent } from './filled-database.ts'
import { folderTest } from './test.ts'

export const MANIFEST = 'manifest.json'

/** The files in a backup, by name and in order. Their contents have one character per byte. */
export type BackupFiles = Map<string, string>

/**
 * Returns a `test` for damaged backups: `file` is a complete backup and `files` its content.
 * `expectRejected` restores a file and expects that it is rejected and leaves no rows.
 */
export function backupTest() {
  return folderTest()
    .extend('makeEmpty', { scope: 'file' }, () => createEmptyDatabase)
    .extend('target', { scope: 'file' }, async ({ makeEmpty }, { onCleanup }) => {
      const target = await makeEmpty()
      onCleanup(target.drop)
      return target.url
    })
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
}

/** Runs `brevis backup` or `brevis restore` on a database and returns its JSON result. */
export async function runBackupCommand(command: 'backup' | 'restore', url: string, file: string) {
  const outcome = await run(command, url, file)
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(outcome.stdout)
}

/** Runs a command that must fail and returns its error line. */
export async function runFailingCommand(command: 'backup' | 'restore', url: string, file: string) {
  const outcome = await run(command, url, file)
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(ONE_LINE) })
  return outcome.stderr
}

/** An error message without control characters, except for the final newline. */
const ONE_LINE = /^brevis: [^\p{Cc}]{1,1000}\n$/u

function run(command: string, url: string, file: string): Promise<Outcome> {
  return runCommand([command, file, '--json'], { env: { DATABASE_URL: url } })
}

/** Returns the files in a backup. */
export async function readBackup(file: string): Promise<BackupFiles> {
  const tar = extract()
  tar.end(zstdDecompressSync(await readFile(file)))
  const files: BackupFiles = new Map()
  for await (const entry of tar) {
    const content = await buffer(entry as AsyncIterable<Buffer>)
    files.set(entry.header.name, content.toString('latin1'))
  }
  return files
}

/** Writes files as a backup and returns its path, `file`. */
export async function writeBackup(
  file: string,
  files: Iterable<[string, string]>,
): Promise<string> {
  const tar = pack()
  for (const [name, content] of files) tar.entry({ name }, Buffer.from(content, 'latin1'))
  tar.finalize()
  await writeFile(file, zstdCompressSync(await buffer(tar as AsyncIterable<Buffer>)))
  return file
}

/** Updates sizes and hashes in the manifest after changes to files, like a forger. */
export function updateManifest(files: BackupFiles): BackupFiles {
  const manifest = JSON.parse(files.get(MANIFEST) ?? '')
  for (const { files: parts } of [...manifest.tables, { files: manifest.scripts }]) {
    for (const part of parts) {
      const content = Buffer.from(files.get(part.name) ?? '', 'latin1')
      Object.assign(part, { bytes: content.length, sha256: hash('sha256', content) })
    }
  }
  return files.set(MANIFEST, JSON.stringify(manifest))
}
