import { claimJournal, disownJournal, hasClicks, readJournalOwner } from '../clicks/append.ts'
import type { Config } from '../config.ts'
import { getInstallationId } from '../db/installation-id.ts'
import type { Instance } from '../db/instance.ts'
import { storeFolder } from '../links/store/store-file.ts'
import { findStoredOwner } from '../links/store/stored-instance.ts'

type Settings = Pick<Config, 'dataDir' | 'journalDir' | 'databaseUrl' | 'main'>

/** Thrown if the data folder contains the files of another installation, or of an unknown one. */
export class ForeignFilesError extends Error {}

/**
 * Checks that the click journal and the link store of the data folder belong to the installation of
 * the database, and names the installation in a journal that names none. Imported elsewhere, clicks
 * would be lost or credited to foreign links. A folder without clicks and links may change its
 * installation.
 *
 * @throws ForeignFilesError if they belong to another installation
 */
export function requireOwnFiles(settings: Settings, { token }: Pick<Instance, 'token'>): void {
  const { dataDir, journalDir } = settings
  const own = { id: getInstallationId(token), place: describeSource(settings) }
  const stored = findStoredOwner(storeFolder(dataDir))
  const storedId = stored && getInstallationId(stored.token)
  const owner = readOwner(journalDir)
  const isForeign = (id: string | undefined) => id !== undefined && id !== own.id
  const isForeignStore = isForeign(storedId)
  if (isForeign(owner?.id) || (!owner && isForeignStore)) {
    const isEmpty = !hasClicks(journalDir) && !(isForeignStore && stored?.links !== 0)
    if (!isEmpty) {
      const foreign = owner ?? { id: storedId ?? '', place: '' }
      throw new ForeignFilesError(describeMeeting(journalDir, foreign, own))
    }
    disownJournal(journalDir)
  } else if (isForeignStore && stored?.links !== 0) {
    throw new ForeignFilesError(
      `the link store in ${storeFolder(dataDir)} belongs to installation ${storedId}, but the click journal and the database to installation ${own.id}. Nothing is served, imported or deleted. Move the link store away; it is built again.`,
    )
  }
  claimJournal(journalDir, own)
}

function readOwner(journalDir: string) {
  try {
    return readJournalOwner(journalDir)
  } catch (error) {
    throw new ForeignFilesError(
      `${(error as Error).message}. Nothing is served, imported or deleted.`,
      { cause: error },
    )
  }
}

type Named = { id: string; place: string }

function describeMeeting(journalDir: string, foreign: Named, own: Named): string {
  const from = foreign.place ? ` (first used with ${foreign.place})` : ''
  return `the click journal and link store beside ${journalDir} belong to installation ${foreign.id}${from}, but ${own.place} is installation ${own.id}. Nothing is served, imported or deleted. Correct DATABASE_URL, MAIN_URL or DATA_DIR, or restore a backup of installation ${foreign.id}. To abandon its waiting clicks, move the folders journal and store away.`
}

/** Names the database or main installation of these settings, without passwords. */
function describeSource({ databaseUrl = '', main }: Settings): string {
  if (main) return `the main installation ${main.url}`
  const url = URL.parse(databaseUrl)
  const name = decodeURIComponent(url?.pathname.slice(1) || '')
  return `the database ${name} on ${url?.host || url?.searchParams.get('host') || 'this machine'}`
}
