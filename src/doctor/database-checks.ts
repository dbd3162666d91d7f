import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readJournalOwner } from '../clicks/append.ts'
import { createImportState, readImportFailure } from '../clicks/read.ts'
import type { Config } from '../config.ts'
import { describeDatabase } from '../db/database-url.ts'
import { inspectServer } from '../db/inspect-server.ts'
import { getInstallationId } from '../db/installation-id.ts'
import { findInstance } from '../db/instance.ts'
import { openDatabase } from '../db/pool.ts'
import { storeFolder } from '../links/store/store-file.ts'
import { findStoredOwner } from '../links/store/stored-instance.ts'
import { type Finding, failure, formatAge, ok, runCheck, toMessage, warning } from './finding.ts'

const MAX_CLOCK_DIFFERENCE_MS = 2000
const MAX_LAG_MS = 60_000
const TIMEOUTS = { connectTimeout: 5000, queryTimeout: 10_000 }

/**
 * Checks the database. If it cannot be reached, the only finding says why. `openUrl` returns its
 * URL, and starts the embedded one if necessary.
 */
export async function checkDatabase(
  config: Config,
  openUrl: () => Promise<string>,
): Promise<Finding[]> {
  let url: string
  try {
    url = await openUrl()
  } catch (error) {
    const remedy = 'Start the service once, or set DATABASE_URL or DATA_DIR as for the service.'
    return [{ check: 'database', ...failure(toMessage(error), remedy) }]
  }
  const server = await inspectServer(url, TIMEOUTS)
  const connection = await runCheck('database', 'Correct DATABASE_URL.', async () => {
    if (server.problem && !server.facts) throw server.problem
    return ok(`${describeDatabase(url)}, PostgreSQL ${server.facts?.versionName}`)
  })
  if (!server.facts) return [connection]
  const { problem, pending, timeDifferenceMs, facts } = server
  return [
    connection,
    {
      check: 'database requirements',
      ...(problem
        ? failure(problem.message, 'The service does not start before this is corrected.')
        : ok('encoding, session mode and privileges are right')),
    },
    {
      check: 'writable',
      ...(facts.isReadOnly
        ? failure(
            'the database is read-only',
            'Connect to the primary server, or reset default_transaction_read_only.',
          )
        : ok('the database accepts changes')),
    },
    ...(problem && pending.length === 0
      ? []
      : [
          {
            check: 'migrations',
            ...(pending.length > 0
              ? failure(`pending: ${pending.join(', ')}`, 'Run npx brevis migrate.')
              : ok('the schema is current')),
          },
        ]),
    {
      check: 'clock',
      ...(timeDifferenceMs > MAX_CLOCK_DIFFERENCE_MS
        ? warning(
            `${formatAge(timeDifferenceMs)} apart from the clock of the database`,
            'Synchronize both clocks, for example with chrony.',
          )
        : ok('agrees with the clock of the database')),
    },
    ...(problem || pending.length > 0 ? [] : await checkOwnData(config, url)),
  ]
}

/** Checks the files of this machine that belong to the database. */
async function checkOwnData(config: Config, url: string): Promise<Finding[]> {
  const database = openDatabase({ url, name: 'command', max: 2, ...TIMEOUTS })
  try {
    const remedy = 'Read the log of the service.'
    return [
      await runCheck('installation', remedy, async () => {
        const { token } = await findInstance(database.db)
        return compareOwners(config, getInstallationId(token))
      }),
      await runCheck('click journal', remedy, async () => {
        // Opening a journal creates it, which is left to the user of the service.
        if (!existsSync(join(config.journalDir, 'id'))) return ok('there is none yet')
        const readState = createImportState({ db: database.db, journalDir: config.journalDir })
        return judgeJournal(
          await readState(new Date()),
          readImportFailure(config.journalDir)?.error,
        )
      }),
    ]
  } finally {
    await database.close()
  }
}

/** Compares the installation of the database with those of the journal and the link store. */
function compareOwners({ dataDir, journalDir }: Config, id: string) {
  const stored = findStoredOwner(storeFolder(dataDir))
  const storedId = stored && stored.links > 0 ? getInstallationId(stored.token) : id
  const journalId = readJournalOwner(journalDir)?.id ?? id
  if (journalId === id && storedId === id) return ok(id)
  return failure(
    `the database is installation ${id}, the click journal ${journalId}, the link store ${storedId}`,
    'Correct DATABASE_URL or DATA_DIR, so that they belong together.',
  )
}

type JournalState = { isRunning: boolean; waitingBytes: number; lagMs: number }

function judgeJournal(state: JournalState, lastError: string | undefined) {
  const { isRunning, waitingBytes, lagMs } = state
  const waiting =
    waitingBytes === 0
      ? 'all clicks are imported'
      : `${waitingBytes} bytes wait, the oldest click for ${formatAge(lagMs)}`
  if (lastError) return failure(`${waiting}; the import fails: ${lastError}`, 'Correct the error.')
  if (!isRunning) return warning(`${waiting}; no importer is running`, 'Start the service.')
  if (lagMs > MAX_LAG_MS)
    return warning(waiting, 'Check the load of the database: docs/operating.md')
  return ok(waiting)
}
