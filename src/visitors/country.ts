import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { normalizeAddress } from './address.ts'
import { BUNDLED_CREDIT, type Credit, findCredit } from './country-credit.ts'
import { type CountryTable, openCountryTable, openCountryTableSync } from './country-table.ts'

export type CountryLookup = Awaited<ReturnType<typeof createCountryLookup>>

export type CountrySource = { bundled: boolean; builtAt: Date }

type Options = {
  /** The operator's MMDB file. If undefined, the bundled data is used. */
  file?: string | undefined
  log?: { warn(details: object, message: string): void } | undefined
  /** Milliseconds between checks of the operator's file. */
  pollMs?: number | undefined
  /** Whether the bundled data is used until the operator's file can be read. */
  mayBeUnreadable?: boolean
}

/**
 * Opens the table of IP addresses and countries. The bundled table takes 8 MB, so it is read only
 * when a lookup first needs it. If the operator replaces their file, it is reloaded within seconds.
 * If the new file is invalid or missing, the old data stays in use, and the error is logged once
 * and retried. Throws an Error naming the operator's file if it cannot be read at startup, unless
 * it `mayBeUnreadable`.
 */
export async function createCountryLookup({
  file,
  log,
  pollMs = 2_000,
  mayBeUnreadable = false,
}: Options = {}) {
  const path = file ?? findBundledFile()
  let version = await readFileVersion(path).catch(() => 'missing')
  let isBundled = file === undefined
  let lastProblem = ''
  let table = file === undefined ? undefined : await openCountryTable(path).catch(useBundled)
  let running: Promise<void> | undefined

  async function load(onlyIfChanged: boolean) {
    try {
      // The version is read before the file, so that a change during reading results in another
      // version.
      const newVersion = await readFileVersion(path)
      if (onlyIfChanged && newVersion === version) return
      table = await openCountryTable(path)
      isBundled = false
      version = newVersion
      lastProblem = ''
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== lastProblem) {
        log?.warn({ file: path, problem }, 'country data not reloaded, the old data stays in use')
      }
      lastProblem = problem
    }
  }

  async function loadOnce(onlyIfChanged: boolean) {
    running ??= load(onlyIfChanged).finally(() => {
      running = undefined
    })
    await running
  }

  function useBundled(error: Error): undefined {
    if (!mayBeUnreadable) throw error
    isBundled = true
    lastProblem = error.message
    log?.warn(
      { file: path, problem: lastProblem },
      'country data cannot be read, the bundled data is used',
    )
  }

  function getTable(): CountryTable {
    table ??= openCountryTableSync(isBundled ? findBundledFile() : path)
    return table
  }

  const timer = file === undefined ? undefined : setInterval(() => void loadOnce(true), pollMs)
  timer?.unref()

  return {
    /**
     * Returns the uppercase ISO 3166-1 alpha-2 code of a public IP address, or undefined if
     * unknown.
     */
    lookup(ip: string): string | undefined {
      return getTable().find(normalizeAddress(ip))
    },

    /** Returns the attribution for country statistics, if the license requires one. */
    credit(): Credit | undefined {
      return isBundled ? BUNDLED_CREDIT : findCredit(getTable().databaseType)
    },

    /** Returns whether the data is bundled, and when it was built. */
    source(): CountrySource {
      return { bundled: isBundled, builtAt: getTable().builtAt }
    },

    /** Reloads the file now. If this fails, logs a warning and keeps the old data. */
    async reload(): Promise<void> {
      await running
      await loadOnce(false)
    },

    close(): void {
      clearInterval(timer)
    },
  }
}

function findBundledFile(): string {
  const { resolve } = createRequire(import.meta.url)
  return resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')
}

async function readFileVersion(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path)
  return `${mtimeMs} ${size} ${ino}`
}
