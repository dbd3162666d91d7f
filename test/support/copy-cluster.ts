import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'

/**
 * Creates a PostgreSQL cluster in a data folder by copying one, which takes 0.1 s of processor time
 * instead of 1.2 s. It has no port yet. All copies have the same password.
 */
export async function copyCluster(dataDir: string): Promise<void> {
  const cluster = join(dataDir, 'postgres')
  // Preserves ownership, which Node's own copy does not.
  await promisify(execFile)('cp', ['-a', await templateCluster(), cluster])
  const file = join(cluster, 'brevis.json')
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), port: 0 }))
}

/** Returns the cluster to copy. Concurrent workers each create one, and the first is used. */
async function templateCluster(): Promise<string> {
  const created = join(inject('clusters'), 'ready')
  const cluster = join(created, 'postgres')
  const exists = await stat(created).catch(() => undefined)
  if (exists) return cluster
  const folder = await mkdtemp(join(inject('clusters'), 'draft-'))
  await chmod(folder, 0o755)
  const { stop } = await startEmbedded(folder, { settings: { fsync: 'off' } })
  await stop()
  await rename(folder, created).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return cluster
}
