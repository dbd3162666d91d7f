import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Returns an unused path beside `path` for a draft that will replace it. Deletes the drafts that
 * killed processes have left, except `current`, the name of the draft that `path` links to.
 */
export async function createDraftPath(
  path: string,
  { suffix = '', current }: { suffix?: string; current?: string } = {},
): Promise<string> {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix) || name === current) continue
    const [, pid] = /^(\d+)-[0-9a-f]{8}(\.partial|\.link)?$/.exec(name.slice(prefix.length)) ?? []
    if (!pid || isRunning(Number(pid))) continue
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {})
  }
  return `${path}.${process.pid}-${randomBytes(4).toString('hex')}${suffix}`
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process may not be signaled.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
