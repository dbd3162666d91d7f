import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfExists, readOrCreate } from '../../files/replace.ts'
import { parseSegment } from './segment-name.ts'

/** An installation, and for people the database where its files were first used. */
export type JournalOwner = { id: string; place: string }

const FILE = 'installation'
const PATTERN = /^([0-9a-f]{12}) ?(.*)\n$/

/**
 * Returns the installation whose clicks a journal folder contains, or undefined if the folder does
 * not name one.
 *
 * @throws Error if the name is damaged
 */
export function readJournalOwner(dir: string): JournalOwner | undefined {
  const text = readIfExists(join(dir, FILE))
  return text === undefined ? undefined : parse(dir, text)
}

/** Names an installation in a journal folder that names none. Returns the owner of the folder. */
export function claimJournal(dir: string, { id, place }: JournalOwner): JournalOwner {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return parse(dir, readOrCreate(join(dir, FILE), `${id} ${place}\n`))
}

/** Forgets the owner of a journal folder, so that it can be claimed again. */
export function disownJournal(dir: string): void {
  rmSync(join(dir, FILE), { force: true })
}

/** Returns whether a journal folder contains clicks, imported or not. */
export function hasClicks(dir: string): boolean {
  try {
    return readdirSync(dir, { encoding: 'utf8', recursive: true }).some(
      (path) => parseSegment(path.slice(path.lastIndexOf('/') + 1)) !== undefined,
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function parse(dir: string, text: string): JournalOwner {
  const [, id, place = ''] = PATTERN.exec(text) ?? []
  if (!id) {
    throw new Error(
      `${join(dir, FILE)} does not name an installation. Delete it if it is damaged; it is created again`,
    )
  }
  return { id, place }
}
