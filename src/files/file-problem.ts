import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  readFileSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** At least one block of the usual file systems. */
const PROBE_BYTES = 4096

/**
 * Returns a sentence that names the cause for which a file or folder cannot be written, and the
 * fix. `error` is an error of `node:fs`.
 */
export function describeFileProblem(path: string, error: unknown): string {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  const cause = describeFile(path) ?? describeCause(path, code) ?? describeObstacle(path)
  return cause ? `${path} cannot be written: ${cause}` : `${path} cannot be written: ${message}`
}

/** Returns a sentence that names the cause for which a folder or file cannot be read, and the fix. */
export function describeReadProblem(path: string, error: unknown): string {
  const { code = '', message = String(error) } = error as NodeJS.ErrnoException
  const file = code === 'ENOTDIR' ? describeFile(path) : undefined
  return `${path} cannot be read: ${file ?? describeDenial(path, code, 'read') ?? message}`
}

/** Returns the number of free bytes on the disk of a path, or undefined if it is unknown. */
export function readFreeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/** Returns the problem that prevents writing to an existing folder, or undefined. */
export function findFolderProblem(folder: string): string | undefined {
  try {
    // The slash rejects a file.
    accessSync(join(folder, '/'), constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return describeFileProblem(folder, error)
  }
}

/** Returns the problem that prevents writing a small file to a folder, or undefined. */
export function findWriteProblem(folder: string): string | undefined {
  const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`)
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (error) {
    return describeFileProblem(folder, error)
  } finally {
    rmSync(probe, { force: true })
  }
}

function describeCause(path: string, code: string): string | undefined {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT': {
      const free = readFreeBytes(path) ?? readFreeBytes(dirname(path))
      return `the disk is full (${code}, ${free ?? 'unknown'} bytes free). Free space on it`
    }
    case 'EROFS':
      return `the file system is mounted read-only (EROFS; ${describeOwner(path)}). Mount it writable`
    default:
      return describeDenial(path, code, 'write')
  }
}

function describeDenial(path: string, code: string, access: 'read' | 'write'): string | undefined {
  if (code !== 'EACCES' && code !== 'EPERM') return undefined
  return `${describeOwner(path)}, and ${describeUser(process.getuid?.())} may not ${access} it (${code}). Change its owner, for example with chown, or choose another DATA_DIR`
}

/** Describes a file where a folder is expected, for which the system says EEXIST or EACCES. */
function describeFile(path: string): string | undefined {
  const existing = findExisting(path)
  if (!existing || statIfPossible(existing)?.isDirectory() !== false) return undefined
  return `${existing} is a file, not a folder. Move it, or choose another DATA_DIR`
}

/** Returns the path, or the nearest folder or file on it that exists. */
function findExisting(path: string): string | undefined {
  if (statIfPossible(path)) return path
  return dirname(path) === path ? undefined : findExisting(dirname(path))
}

/** Describes why a folder cannot be created. The system says ENOENT if the disk is read-only. */
function describeObstacle(missing: string): string | undefined {
  const path = findExisting(missing)
  if (!path || path === missing) return undefined
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return describeCause(path, (error as NodeJS.ErrnoException).code ?? '')
  }
}

/** Describes the owner and mode of a path, or of the nearest folder that exists. */
function describeOwner(path: string): string {
  const stats = statIfPossible(path)
  const parent = dirname(path)
  if (!stats) return parent === path ? 'its owner is unknown' : describeOwner(parent)
  const mode = (stats.mode & 0o7777).toString(8).padStart(3, '0')
  return `${path} belongs to ${describeUser(stats.uid)} with mode ${mode}`
}

function statIfPossible(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function describeUser(uid: number | undefined): string {
  if (uid === undefined) return 'this user'
  const name = findUserName(uid)
  return name ? `${name} (uid ${uid})` : `uid ${uid}`
}

function findUserName(uid: number): string | undefined {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
    return lines.map((line) => line.split(':')).find((fields) => fields[2] === String(uid))?.[0]
  } catch {
    return undefined
  }
}
