import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/db/migrate.ts'
import { startEmbedded } from '../src/embedded-postgres/embedded-postgres.ts'
import { readArguments } from './arguments.ts'
import { generateTables, TABLES_FILE } from './generate-tables.ts'

readArguments(`Usage: npm run tables

Writes ${TABLES_FILE}: the types of the tables that migrations/ creates in a temporary database.`)

const folder = await mkdtemp(join(tmpdir(), 'brevis-tables-'))
try {
  // If root runs this, PostgreSQL runs as another user, who must be able to read the folder.
  await chmod(folder, 0o755)
  const server = await startEmbedded(folder, { settings: { fsync: 'off' } })
  try {
    await migrate(server.url)
    const file = new URL(`../${TABLES_FILE}`, import.meta.url)
    await writeFile(file, await generateTables(server.url))
  } finally {
    await server.stop()
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
