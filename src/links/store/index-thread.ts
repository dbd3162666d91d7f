import { workerData } from 'node:worker_threads'
import { openSqlite } from './sqlite.ts'

// Runs in a thread of the process that builds a link store: see `indexLinks`.

const BUSY_TIMEOUT_MS = 5000

const { path, statements } = workerData as { path: string; statements: readonly string[] }
const db = openSqlite(path, { timeoutMs: BUSY_TIMEOUT_MS })
// Sorts in memory of up to 16 MB, and beyond in temporary files.
db.exec('pragma cache_size = -16000')
for (const statement of statements) db.exec(statement)
db.close()
