import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'

const OTHERS = 0o077
const PASSING_THROUGH = 0o011
const STICKY = 0o1000

type Options = {
  /** Whether the embedded PostgreSQL is to run in it. */
  embedded?: boolean
  /** Told in one line what could not be closed to others. */
  warn?: ((line: string) => void) | undefined
}

/**
 * Makes the data folder where there is none, closes it to the other users of the machine, and gives
 * its real path. Started by root, PostgreSQL runs as another user, who has to pass through to the
 * cluster: then others may pass through as well, but not list it, and what lies in it guards itself.
 * Rights are only taken away, and never from a folder that is meant for all, such as `/tmp`.
 */
export async function secureDataFolder(
  dataDir: string,
  { embedded = false, warn }: Options,
): Promise<string> {
  const made = await mkdir(dataDir, { recursive: true })
  const folder = await realpath(dataDir)
  // Windows has other means, and no bits.
  if (process.getuid === undefined) return folder
  const passing = process.getuid() === 0 && (embedded || (await exists(join(folder, 'postgres'))))
  const kept = 0o7700 | (passing ? PASSING_THROUGH : 0)
  if (made !== undefined) await chmod(folder, kept & 0o777)
  else await tighten(folder, kept, warn)
  await tighten(join(folder, 'postgres.lock'), 0o600, warn)
  return folder
}

/** Takes all rights on `path` away but these, if it is there. A symbolic link is left as it is. */
async function tighten(path: string, kept: number, warn: Options['warn']): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (!found || found.isSymbolicLink() || (found.mode & OTHERS & ~kept) === 0) return
  const reason =
    found.mode & STICKY
      ? 'is a folder for everybody'
      : await chmod(path, found.mode & kept).then(
          () => undefined,
          (error: NodeJS.ErrnoException) => `could not be closed to them (${error.code})`,
        )
  if (reason) warn?.(`${path} is open to other users of this machine and ${reason}`)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
