import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { loadInstance } from '../db/instance.ts'
import { openDatabase } from '../db/pool.ts'
import { storeFolder } from '../links/store/store-file.ts'
import { findStoredInstance } from '../links/store/stored-instance.ts'
import { requireOwnFiles } from './foreign-files.ts'

/** The message of a worker that refuses to serve, with the reason. */
export type Refusal = { type: 'brevis:refusal'; reason: string }

const CHECK_MS = 1000

/** Waits until the data folder belongs to the installation of the database. */
export async function awaitOwnFiles(config: Config): Promise<void> {
  while (!(await hasOwnFiles(config))) await sleep(CHECK_MS)
}

async function hasOwnFiles(config: Config): Promise<boolean> {
  try {
    const instance = config.main
      ? findStoredInstance(storeFolder(config.dataDir))
      : await readInstance(config.databaseUrl ?? '')
    if (instance) requireOwnFiles(config, instance)
    return true
  } catch {
    // An unreachable database says nothing about the folder.
    return false
  }
}

async function readInstance(url: string) {
  const database = openDatabase({ url, name: 'web', max: 1 })
  try {
    return await loadInstance(database.db)
  } finally {
    await database.close()
  }
}
