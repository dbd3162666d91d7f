import { existsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { countDamagedSegments } from '../clicks/read.ts'
import { type Config, createChildEnvironment } from '../config.ts'
import { findInstance } from '../db/instance.ts'
import { openDatabase } from '../db/pool.ts'
import { findFolderProblem } from '../files/file-problem.ts'
import { storeFolder } from '../links/store/store-file.ts'
import { findStoredOwner } from '../links/store/stored-instance.ts'
import { findMisspelledSettings } from '../settings-typos.ts'
import { createCountryLookup } from '../visitors/country.ts'
import { checkBaseUrl, checkCertificate, checkDatabase, checkMail, checkService } from './checks.ts'
import { type Finding, failure, formatAge, ok, runCheck, warning } from './finding.ts'

const GIB = 2 ** 30

/** The minimum free space: an absolute size or a share of the disk, whichever is smaller. */
const MIN_FREE_BYTES = GIB

const MIN_FREE_SHARE = 0.05

const GROUP_AND_OTHERS = 0o077

const MAX_COUNTRY_DATA_AGE_MS = 180 * 86_400_000

type Options = {
  /** Returns the URL of the database, and starts the embedded one if necessary. */
  openUrl: () => Promise<string>
  now: Date
}

/** Checks the whole installation, one finding after the other. Changes nothing. */
export async function* examine(config: Config, { openUrl, now }: Options): AsyncGenerator<Finding> {
  yield await checkSettings()
  yield await checkFolder(config)
  yield await checkDamage(config)
  let token: string | undefined
  // An edge has no database.
  if (!config.main) {
    const findings = await checkDatabase(config, openUrl)
    yield* findings
    if (findings[0]?.state === 'ok') token = await findToken(await openUrl())
  }
  yield await checkStore(config)
  yield await checkService(config)
  yield* await checkBaseUrl(config, token)
  yield await checkCertificate(config, now)
  yield await checkMail(config)
  yield await checkCountryData(config, now)
}

/** Checks for variables that resemble a setting but are none. */
function checkSettings(): Promise<Finding> {
  return runCheck('settings', 'Correct the settings.', async () => {
    const problems = findMisspelledSettings(createChildEnvironment({}))
    if (problems.length === 0) return ok('every name is known')
    return warning(problems.join(' '), 'Correct the name, or remove the variable.')
  })
}

/** Returns the token of the installation, or undefined if the database has no schema. */
async function findToken(url: string): Promise<string | undefined> {
  const database = openDatabase({ url, name: 'command', max: 1 })
  try {
    return (await findInstance(database.db)).token
  } catch {
    return undefined
  } finally {
    await database.close()
  }
}

/** Checks the data folder: that it can be written, is private and has free space. */
function checkFolder({ dataDir, journalDir }: Config): Promise<Finding> {
  return runCheck('data folder', 'Create the folder for the user of the service.', async () => {
    if (!existsSync(dataDir)) throw new Error(findFolderProblem(dataDir))
    const problem = [dataDir, journalDir, storeFolder(dataDir)]
      .filter((folder) => existsSync(folder))
      .map((folder) => findFolderProblem(folder))
      .find((found) => found !== undefined)
    if (problem) return failure(problem, 'The service does not start before this is corrected.')
    const { uid, gid, mode } = await stat(dataDir)
    const { bavail, blocks, bsize } = await statfs(dataDir)
    const free = bavail * bsize
    const permissions = (mode & 0o777).toString(8)
    const facts = `${dataDir}: owner ${uid}:${gid}, mode ${permissions}, ${(free / GIB).toFixed(1)} GiB free`
    if (free < Math.min(MIN_FREE_BYTES, blocks * bsize * MIN_FREE_SHARE)) {
      return failure(facts, 'Free disk space. With a full disk, clicks are lost.')
    }
    if (mode & GROUP_AND_OTHERS & ~0o011) {
      return warning(
        `${facts}; other users can read it`,
        `Make it private: chmod go-rwx ${dataDir}`,
      )
    }
    return ok(facts)
  })
}

/** Checks whether the click journal has set damaged files aside. */
function checkDamage({ journalDir }: Config): Promise<Finding> {
  return runCheck('journal files', 'Correct the folder of the click journal.', async () => {
    const files = countDamagedSegments(journalDir)
    if (files === 0) return ok('none is damaged')
    return warning(
      `${files} in ${journalDir} ${files === 1 ? 'is' : 'are'} damaged and set aside`,
      'Run npx brevis journal, and check the disk: docs/operating.md',
    )
  })
}

/** Checks the link store, which serves visits while the database is away. */
function checkStore({ dataDir }: Config): Promise<Finding> {
  return runCheck('link store', 'Move the folder store away. It is built again.', async () => {
    const stored = findStoredOwner(storeFolder(dataDir))
    if (stored) return ok(`${stored.links} links`)
    return warning(
      'there is none yet, so visits need the database',
      'Start the service. It builds the link store within minutes.',
    )
  })
}

/** Checks the table of countries and its age. */
function checkCountryData({ geoipFile }: Config, now: Date): Promise<Finding> {
  const remedy = 'Set GEOIP_DB to a file that can be read: docs/country-data.md'
  return runCheck('country data', remedy, async () => {
    const countries = await createCountryLookup({ file: geoipFile })
    const { bundled, builtAt } = countries.source()
    countries.close()
    const age = now.getTime() - builtAt.getTime()
    const facts = `${bundled ? 'bundled' : geoipFile}, built ${formatAge(age)} ago`
    if (age <= MAX_COUNTRY_DATA_AGE_MS) return ok(facts)
    return warning(facts, 'Update the data: docs/country-data.md')
  })
}
