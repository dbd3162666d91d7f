import { type Config, createChildEnvironment } from '../config.ts'
import { findInstance } from '../db/instance.queries.ts'
import { openDatabase } from '../db/pool.ts'
import { findMisspelledSettings } from '../settings-typos.ts'
import { checkBaseUrl, checkCertificate, checkMail, checkService } from './address-checks.ts'
import { checkDatabase } from './database-checks.ts'
import { type Finding, ok, runCheck, warning } from './finding.ts'
import { checkCountryData, checkDamage, checkFolder, checkStore } from './folder-checks.ts'

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
