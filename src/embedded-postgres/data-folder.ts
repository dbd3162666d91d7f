import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

const GROUP_AND_OTHERS = 0o077
const TRAVERSE_ONLY = 0o011
const STICKY_BIT = 0o1000

type Options = {
  /** Whether the folder contains the embedded PostgreSQL. */
  embedded?: boolean
  /** Receives a warning about anything that could not be made private. */
  warn?: ((line: string) => void) | undefined
}

/**
 * Creates the data folder if necessary, makes it private and returns its real path. If root starts
 * the service, PostgreSQL runs as another user. That user must be able to enter the folder but not
 * to list it, so its content is protected individually. Permissions are only removed, and never
 * from shared folders such as `/tmp`.
 */
export async function secureDataFolder(
  dataDir: string,
  { embedded = false, warn }: Options,
): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true })
  const folder = await realpath(dataDir)
  // Windows has no permission bits.
  if (process.getuid === undefined) return folder
  const isTraversable =
    process.getuid() === 0 && (embedded || (await exists(join(folder, 'postgres'))))
  const allowedMode = 0o7700 | (isTraversable ? TRAVERSE_ONLY : 0)
  if (created !== undefined) await chmod(folder, allowedMode & 0o777)
  else await restrictPermissions(folder, allowedMode, warn)
  await restrictPermissions(join(folder, 'postgres.lock'), 0o600, warn)
  return folder
}

/**
 * Removes all permissions of `path` that are not in `allowedMode`, if other users have any of them.
 * Skips missing paths and symbolic links. Only warns about shared folders and failures.
 */
async function restrictPermissions(
  path: string,
  allowedMode: number,
  warn: Options['warn'],
): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats || stats.isSymbolicLink() || (stats.mode & GROUP_AND_OTHERS & ~allowedMode) === 0)
    return
  const reason =
    stats.mode & STICKY_BIT
      ? 'is a shared folder'
      : await chmod(path, stats.mode & allowedMode).then(
          () => undefined,
          (error: NodeJS.ErrnoException) => `could not be made private (${error.code})`,
        )
  if (reason) warn?.(`${path} is open to other users of this machine and ${reason}`)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
