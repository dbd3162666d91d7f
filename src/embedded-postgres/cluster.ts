import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
} from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile, syncFolder } from '../files/replace.ts'
import { chooseSizes } from '../memory-sizes.ts'
import type { Binaries } from './binaries.ts'
import { changeOwner, readOwnedFile, removeTree } from './postmaster.ts'
import type { Runner } from './runner.ts'

/** The folder of POSIX shared memory on Linux. See shm_open(3). */
const SHM_FOLDER = '/dev/shm'

/** Parallel queries need tens of megabytes, and containers often have 64 MB in total. */
const MIN_FREE_BYTES = 128 * 2 ** 20

/**
 * The password of a cluster and its last port, or 0 before its first start. They are stored inside
 * the cluster, so that they are moved and restored together.
 */
export type Access = { password: string; port: number }

const major = '18'
const initPrefix = 'postgres.init-'
const settingsFile = 'brevis.conf'
const accessFile = 'brevis.json'

/** Settings for long bursts of clicks. They are only defaults, which ALTER SYSTEM can override. */
const tuning = {
  // The default of 8 MB stays in memory once it has been used.
  wal_buffers: '2MB',
  max_wal_size: '4GB',
  // The cost on an SSD. The default is for hard disks. With it, once there are hundreds of
  // accounts, the foreign key check of every new link would scan all of them.
  random_page_cost: '1.1',
  max_connections: '200',
  password_encryption: 'scram-sha-256',
  // The program itself reports failed statements. The server's messages would contain data of
  // visitors.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

/**
 * Returns the uid of the owner of the cluster in `cluster`, or undefined if there is none.
 *
 * @throws Error if the folder contains something else, or a cluster of another major version
 */
export async function inspectCluster(cluster: string): Promise<number | undefined> {
  const entries = await readdir(cluster).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  if (entries.length === 0) return
  if (!entries.includes('PG_VERSION')) {
    throw new Error(
      `${cluster} is not empty and does not contain a PostgreSQL cluster; move it away.`,
    )
  }
  const version = (await readOwnedFile(join(cluster, 'PG_VERSION'))).trim()
  if (version !== major) {
    throw new Error(
      `${cluster} was written by PostgreSQL ${version}, and this is PostgreSQL ${major}. ` +
        'Move it away, or set DATABASE_URL to a server that can read it.',
    )
  }
  return (await stat(cluster)).uid
}

/**
 * Creates the cluster. It gets its final name once it is complete, so that an interrupted start
 * leaves nothing that looks like a cluster. Removes the leftovers of such starts.
 *
 * This process remains the owner of the parent folder, so that the cluster's user cannot replace
 * the new cluster.
 */
export async function createCluster(
  { initdb }: Binaries,
  runner: Runner,
  dataDir: string,
  { durable }: { durable: boolean },
): Promise<void> {
  await removeLeftovers(dataDir)
  const folder = await mkdtemp(join(dataDir, initPrefix))
  const newCluster = join(folder, 'cluster')
  const passwordFile = join(folder, 'password')
  const password = randomBytes(24).toString('base64url')
  const { owner } = runner
  await replaceFile(passwordFile, (draft) => draft.writeFile(password), { owner })
  await mkdir(newCluster, { mode: 0o700 })
  await chown(newCluster, owner.uid, owner.gid)
  // The cluster's user must be able to enter the folder, but not to list it.
  await chmod(folder, 0o711)
  await runner.run(initdb, [
    `--pgdata=${newCluster}`,
    `--pwfile=${passwordFile}`,
    '--username=brevis',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    `--set=dynamic_shared_memory_type=${await chooseSharedMemory(runner)}`,
    ...(durable ? [] : ['--no-sync']),
  ])
  await appendDurably(
    join(newCluster, 'postgresql.conf'),
    `\ninclude_if_exists '${settingsFile}'\n`,
  )
  await writeAccess(newCluster, runner, { password, port: 0 })
  await rename(newCluster, join(dataDir, 'postgres'))
  syncFolder(dataDir)
  await rm(folder, { recursive: true, force: true })
}

/** Updates the settings and the owner of an existing cluster. The server must be stopped. */
export async function prepareCluster(
  { postgres }: Binaries,
  runner: Runner,
  cluster: string,
): Promise<void> {
  await changeOwner(runner, cluster)
  // Some builds of PostgreSQL lack lz4. pglz would cost more time than it saves in writing.
  const hasLz4 = await runner
    .run(postgres, ['-D', cluster, '-C', 'wal_compression', '-c', 'wal_compression=lz4'])
    .then(
      () => true,
      () => false,
    )
  const settings = {
    ...tuning,
    shared_buffers: `${chooseSizes().sharedBuffersMib}MB`,
    dynamic_shared_memory_type: await chooseSharedMemory(runner),
    ...(hasLz4 ? { wal_compression: 'lz4' } : {}),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  const header = '# Written at each start. Use ALTER SYSTEM for settings of your own.\n'
  await replaceFile(
    join(cluster, settingsFile),
    (draft) => draft.writeFile(header + lines.join('')),
    runner,
  )
}

/** Returns the password and the last port of the cluster. The port is 0 before its first start. */
export async function readAccess(cluster: string): Promise<Access> {
  const file = join(cluster, accessFile)
  const text = await readOwnedFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const access = parseAccess(text)
  if (access) return access
  throw new Error(`${file} does not contain the password of the embedded PostgreSQL; restore it.`)
}

export async function writeAccess(cluster: string, runner: Runner, access: Access): Promise<void> {
  const text = `${JSON.stringify(access)}\n`
  await replaceFile(join(cluster, accessFile), (draft) => draft.writeFile(text), runner)
}

function parseAccess(text: string): Access | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (!('password' in value && 'port' in value)) return
  const { password, port } = value
  const isValidPort =
    typeof port === 'number' && Number.isInteger(port) && port >= 0 && port < 65_536
  return isValidPort && typeof password === 'string' ? { password, port } : undefined
}

/** Appends to a file that belongs to the cluster's user. Does not follow symbolic links. */
async function appendDurably(path: string, text: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(initPrefix)) continue
    // If its parent was killed, an initdb may still be writing. The next start tries again.
    await removeTree(join(dataDir, name)).catch(() => undefined)
  }
}

/**
 * Selects PostgreSQL's `dynamic_shared_memory_type`: POSIX shared memory, or System V shared memory
 * if the runner's user cannot write to `/dev/shm` or its free space is small. initdb does the same,
 * but only once and without checking the free space.
 */
async function chooseSharedMemory(runner: Runner): Promise<'posix' | 'sysv'> {
  if (process.platform !== 'linux') return 'posix'
  try {
    await runner.run('/bin/sh', ['-c', 'test -w "$1"', 'sh', SHM_FOLDER])
    const { bavail, bsize } = await statfs(SHM_FOLDER)
    return bavail * bsize < MIN_FREE_BYTES ? 'sysv' : 'posix'
  } catch {
    return 'sysv'
  }
}
