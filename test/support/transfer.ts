import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'
import { commandLine, runCommand } from './command.ts'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'

/** The counts of an import of no rows. */
export const ZERO_COUNTS = {
  rows: 0,
  created: 0,
  renamed: 0,
  present: 0,
  taken: 0,
  refused: 0,
  clicks: 0,
}

/** Returns a `test` for imports. `listUrls` returns an owner's links as the API does, newest first. */
export function transferTest() {
  return appTest().extend('listUrls', ({ request }) => async (owner: Owner) => {
    const reply = await request({ url: '/api/urls?limit=1000', headers: owner.headers })
    return reply.json().data.urls
  })
}

/** Creates a file with this content, deleted after the test. Returns its path. */
export async function createFile(
  content: string | Uint8Array,
  name = 'links.csv',
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-transfer-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

/** Formats objects as JSONL. */
export function jsonl(...records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Returns the import and export commands for an owner's account. */
export function createTransferCommands(app: TestApp, owner: Owner) {
  const { settings, brevis, brevisJson } = commandLine(app)
  const account = ['--account', owner.account.email]

  return {
    /** Returns the JSON result of an import. */
    import: (file: string, from: string, ...args: string[]) =>
      brevisJson(['import', file, '--from', from, ...account, ...args]),

    /** Returns the exit code and stderr of an import that should fail, such as `1 brevis: …`. */
    async runFailingImport(file: string, from: string, ...args: string[]): Promise<string> {
      const command = ['import', file, '--from', from, ...account, ...args]
      const { code, stderr } = await runCommand(command, { env: settings() })
      return `${code} ${stderr}`
    },

    /** Returns the content of an export. */
    async export(format: 'jsonl' | 'csv'): Promise<string> {
      const path = await createFile('', `out.${format}`)
      await brevis(['export', path, ...account, '--format', format])
      return readFile(path, 'utf8')
    },

    check: () => brevis(['stats', 'check']),
  }
}
