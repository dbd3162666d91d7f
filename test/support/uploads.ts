import { onTestFinished } from 'vitest'
import { createImportWorker } from '../../src/transfer/import-worker.ts'
import { newAddress } from './addresses.ts'
import type { TestApp } from './app.ts'
import { type Person, signIn } from './console.ts'
import { openPatiently } from './database.ts'
import { appTest } from './test.ts'
import { jsonl } from './transfer.ts'

/**
 * Returns a `test` for imports of uploaded files, with these settings. `worker` starts the import
 * worker, and `newUser` creates an account and signs its owner in.
 */
export function uploadsTest(env: Record<string, string>) {
  return appTest({ env })
    .extend(
      'worker',
      ({ app }) =>
        () =>
          startWorker(app),
    )
    .extend('newUser', ({ app, make }) => async () => {
      const owner = await make.owner()
      const person = await signIn(app, owner.account.email, newAddress())
      return { owner, person, upload: createUpload(person) }
    })
}

/** Two links and a row that is rejected. */
export const rows = jsonl(
  { alias: 'one', url: 'https://example.com/1', clicks: 5 },
  { alias: 'two', url: 'https://example.com/2' },
  { alias: 'bad', url: 'javascript:alert(1)' },
)

/** Starts the import worker of the service, stopped after the test. */
export function startWorker(app: TestApp) {
  const database = openPatiently(app.databaseUrl, { name: 'imports', max: 4 })
  const ctx = { ...app.services, log: (details: object) => console.error(details) }
  const worker = createImportWorker(ctx, database.db)
  onTestFinished(async () => {
    await worker.stop()
    await database.close()
  })
  return worker
}

/** Returns a function that uploads a file by the form. */
function createUpload({ send }: Person) {
  return (
    content: string | Uint8Array<ArrayBuffer>,
    fields: Record<string, string> = {},
    name = 'links.jsonl',
  ) =>
    send('/console/import/file', {
      onTaken: 'skip',
      ...fields,
      file: new File([content], name),
    })
}

/** Returns how many file parts and API keys are still stored for finished imports. */
export async function countLeftovers({ services }: TestApp) {
  const { rows: counts } = await services.database.pool.query(
    `select (select count(*)::int from import_files f join imports i on i.id = f.import_id
             where i.state in ('done', 'cancelled')) as files,
       (select count(*)::int from import_keys k join imports i on i.id = k.import_id
        where i.state in ('done', 'cancelled')) as keys`,
  )
  return counts[0]
}
