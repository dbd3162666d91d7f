import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { normalizeAddress } from './address.ts'
import { BUNDLED_CREDIT, type Credit, creditFor } from './country-credit.ts'
import { openCountryTable } from './country-table.ts'

export type CountryLookup = Awaited<ReturnType<typeof createCountryLookup>>

export type CountrySource = { bundled: boolean; builtAt: Date }

type Options = {
  /** The operator's own MMDB file; undefined means the data that comes with the program. */
  file?: string | undefined
  log?: { warn(details: object, message: string): void } | undefined
  /** How often the operator's file is looked at, in milliseconds. */
  pollMs?: number | undefined
}

/**
 * Opens the table of addresses and countries. An operator's file that is replaced is taken up within
 * seconds; a broken or missing one leaves the old data in use, is logged once and tried again.
 * Throws an Error naming the file if it cannot be read at the start.
 */
export async function createCountryLookup({ file, log, pollMs = 2_000 }: Options = {}) {
  const path = file ?? defaultFile()
  let version = await fileVersion(path).catch(() => 'missing')
  let table = await openCountryTable(path)
  let complaint = ''
  let running: Promise<void> | undefined

  async function load(onlyIfChanged: boolean) {
    try {
      // Before the reading: what is written meanwhile makes another version.
      const found = await fileVersion(path)
      if (onlyIfChanged && found === version) return
      table = await openCountryTable(path)
      version = found
      complaint = ''
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== complaint) {
        log?.warn({ file: path, problem }, 'country data not reloaded, the old data stays in use')
      }
      complaint = problem
    }
  }

  async function once(onlyIfChanged: boolean) {
    running ??= load(onlyIfChanged).finally(() => {
      running = undefined
    })
    await running
  }

  const timer = file === undefined ? undefined : setInterval(() => void once(true), pollMs)
  timer?.unref()

  return {
    /** The ISO 3166-1 alpha-2 code of a public address in upper case, undefined where not known. */
    lookup(ip: string): string | undefined {
      return table.find(normalizeAddress(ip))
    },

    /** The line to show beside country statistics, if the license of the data requires one. */
    credit(): Credit | undefined {
      return file === undefined ? BUNDLED_CREDIT : creditFor(table.databaseType)
    },

    /** Whether the data came with the program, and when it was built. */
    source(): CountrySource {
      return { bundled: file === undefined, builtAt: table.builtAt }
    },

    /** Reads the file again now; on failure the old data stays in use and a warning is logged. */
    async reload(): Promise<void> {
      await running
      await once(false)
    },

    close(): void {
      clearInterval(timer)
    },
  }
}

function defaultFile(): string {
  const { resolve } = createRequire(import.meta.url)
  return resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')
}

async function fileVersion(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path)
  return `${mtimeMs} ${size} ${ino}`
}
