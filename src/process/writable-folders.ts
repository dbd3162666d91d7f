import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fillReserve } from '../clicks/append.ts'
import type { Config } from '../config.ts'
import { describeFileProblem, findFolderProblem } from '../files/file-problem.ts'
import { storeFolder } from '../links/store/store-file.ts'

const INTERVAL_MS = 60_000

type Log = Record<'warn', (text: string) => void>

type Folders = Pick<Config, 'dataDir' | 'journalDir'>

const CHECK_MS = 5000

/**
 * Creates the folders for clicks and links, and checks that files can be created in them. A full
 * disk is no reason not to start: links redirect, and the journal has a reserve.
 *
 * @throws Error with the folder, its owner and its mode
 */
export function requireWritableFolders({ dataDir, journalDir }: Folders): void {
  for (const folder of [dataDir, journalDir, storeFolder(dataDir)]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`)
      closeSync(openSync(probe, 'wx', 0o600))
      rmSync(probe, { force: true })
    } catch (error) {
      if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')) continue
      throw new Error(describeFileProblem(folder, error), { cause: error })
    }
  }
}

/** Logs when the folders for clicks and links stop or start to be writable. */
export function watchFolders(
  { dataDir, journalDir }: Folders,
  log: Record<'info' | 'error', (text: string) => void>,
): void {
  const problems = new Map<string, string>()
  setInterval(() => {
    for (const folder of [journalDir, storeFolder(dataDir)]) {
      const problem = findFolderProblem(folder)
      if (problem === problems.get(folder)) continue
      if (problem) {
        log.error(problem)
        problems.set(folder, problem)
      } else {
        log.info(`${folder} can be written again`)
        problems.delete(folder)
      }
    }
  }, CHECK_MS).unref()
}

/** Keeps the journal's reserve for a full disk at its size. Only one process per machine does this. */
export function keepReserve(dir: string, bytes: number, log: Log): void {
  let lastProblem = ''
  const fill = async () => {
    try {
      await fillReserve(dir, bytes)
      lastProblem = ''
    } catch (error) {
      const problem = `the reserve of the journal: ${describeFileProblem(dir, error)}`
      if (problem !== lastProblem) log.warn(problem)
      lastProblem = problem
    }
  }
  void fill()
  setInterval(fill, INTERVAL_MS).unref()
}
