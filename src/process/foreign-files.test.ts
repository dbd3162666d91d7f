import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { appendAll, createClick, openTestJournal } from '../../test/support/click-journal.ts'
import { scratchFolder } from '../../test/support/scratch.ts'
import { getInstallationId } from '../db/installation-id.ts'
import { requireOwnFiles } from './foreign-files.ts'

const ONE = { token: 'one' }
const TWO = { token: 'two' }

describe('requireOwnFiles', () => {
  test('names the installation of a new folder and accepts it again', () => {
    const settings = createFolder()
    requireOwnFiles(settings, ONE)
    expect(() => requireOwnFiles(settings, ONE)).not.toThrow()
  })

  test('lets a folder without clicks and links change its installation', () => {
    const settings = createFolder()
    requireOwnFiles(settings, ONE)
    requireOwnFiles(settings, TWO)
    expect(() => requireOwnFiles(settings, TWO)).not.toThrow()
  })

  test('rejects clicks of another installation in one line, without passwords', async () => {
    const settings = createFolder()
    requireOwnFiles(settings, ONE)
    const journal = openTestJournal(settings.journalDir)
    await appendAll(journal, [createClick(1, 1)])
    await journal.close()
    const attempt = () => requireOwnFiles({ ...settings, databaseUrl: 'postgres://c:d@h:5/x' }, TWO)
    const [one, two] = [ONE, TWO].map(({ token }) => getInstallationId(token))
    expect(attempt).toThrow(
      new RegExp(
        `installation ${one} \\(first used with the database b on db.example\\), but the database x on h:5 is installation ${two}\\.`,
      ),
    )
    expect(attempt).not.toThrow(/secret|\n/)
    expect(() => requireOwnFiles(settings, ONE)).not.toThrow()
  })

  test('rejects a damaged name', () => {
    const settings = createFolder()
    requireOwnFiles(settings, ONE)
    writeFileSync(join(settings.journalDir, 'installation'), '')
    expect(() => requireOwnFiles(settings, ONE)).toThrow('does not name an installation')
  })
})

function createFolder() {
  const dataDir = mkdtempSync(join(scratchFolder(), 'brevis-files-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const journalDir = join(dataDir, 'journal')
  return { dataDir, journalDir, databaseUrl: 'postgres://a:secret@db.example/b', main: undefined }
}
