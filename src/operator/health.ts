/** The metrics from which the service's health is derived. NaN if unknown. */
export type HealthFigures = {
  importerUp: number
  /** Seconds since imports started to fail, or 0 if the last import succeeded. */
  importerFailing: number
  /** The error of the last import that failed. */
  importerError: string
  /** The lag of the click import in seconds. */
  lag: number
  waitingBytes: number
  journalBytes: number
  clicksJournalled: number
  clicksLost: number
  storedLinks: number
  /** 1 while the link store is being built. */
  storeBuilding: number
  /** The lag of the link store in seconds. */
  storeLag: number
  databaseUp: number
  /** The response time of the database in seconds. */
  databaseResponseTime: number
  databaseBytes: number
  connections: number
  requestsWaiting: number
  diskFree: number
  diskSize: number
  /** The number of pending emails. NaN if mail is not set up. */
  mailWaiting: number
  mailFailed: number
  mailError: string
  workers: number
  workersExpected: number
}

/** A problem of the installation. The console shows a text and a remedy for each. */
export type HealthProblem =
  | 'clicksLost'
  | 'diskFull'
  | 'databaseDown'
  | 'databaseSlow'
  | 'databaseBusy'
  | 'importFailing'
  | 'importerDown'
  | 'importerLate'
  | 'storeStale'
  | 'workersMissing'
  | 'mailFailed'
  | 'mailDelayed'

const GIB = 2 ** 30
/** The maximum lag in seconds that a burst of visits may cause. */
const MAX_LAG_SECONDS = 60
const MAX_FAILURE_SECONDS = 60
/** The maximum number of seconds without changes that a restart of the importer may cause. */
const MAX_STORE_LAG_SECONDS = 30
/**
 * The response time in seconds from which a database counts as slow. It is much longer than a
 * database with spare capacity needs.
 */
const SLOW_RESPONSE_SECONDS = 0.5
/** The minimum free disk space: an absolute size or a share of the disk, whichever is smaller. */
const MIN_FREE_BYTES = GIB
const MIN_FREE_SHARE = 0.05

/** Returns whether imports have been failing for longer than a database restart takes. */
export function isImporterFailing({ importerFailing }: HealthFigures): boolean {
  return importerFailing >= MAX_FAILURE_SECONDS
}

/** Returns the problems, most serious first. */
export function findHealthProblems(figures: HealthFigures): HealthProblem[] {
  return [
    judgeClicks(figures),
    judgeDisk(figures),
    judgeDatabase(figures),
    judgeImporter(figures),
    judgeStore(figures),
    judgeWorkers(figures),
    judgeMail(figures),
  ].flatMap((problem) => problem ?? [])
}

function judgeClicks({ clicksLost }: HealthFigures): HealthProblem | undefined {
  return clicksLost > 0 ? 'clicksLost' : undefined
}

function judgeDisk({ diskFree, diskSize }: HealthFigures): HealthProblem | undefined {
  const isFull = diskFree < MIN_FREE_BYTES || diskFree < diskSize * MIN_FREE_SHARE
  return isFull ? 'diskFull' : undefined
}

function judgeDatabase(figures: HealthFigures): HealthProblem | undefined {
  const { databaseUp, databaseResponseTime, requestsWaiting } = figures
  if (databaseUp === 0) return 'databaseDown'
  if (databaseResponseTime > SLOW_RESPONSE_SECONDS) return 'databaseSlow'
  return requestsWaiting > 0 ? 'databaseBusy' : undefined
}

function judgeImporter(figures: HealthFigures): HealthProblem | undefined {
  const { importerUp, lag, databaseUp } = figures
  if (databaseUp === 0) return undefined
  if (isImporterFailing(figures)) return 'importFailing'
  if (importerUp === 0) return 'importerDown'
  return lag > MAX_LAG_SECONDS ? 'importerLate' : undefined
}

function judgeStore({ storeLag, databaseUp }: HealthFigures): HealthProblem | undefined {
  return databaseUp !== 0 && storeLag > MAX_STORE_LAG_SECONDS ? 'storeStale' : undefined
}

function judgeWorkers({ workers, workersExpected }: HealthFigures): HealthProblem | undefined {
  return workers < workersExpected ? 'workersMissing' : undefined
}

function judgeMail({
  mailWaiting,
  mailFailed,
  mailError,
}: HealthFigures): HealthProblem | undefined {
  if (mailFailed > 0) return 'mailFailed'
  return mailWaiting > 0 && mailError ? 'mailDelayed' : undefined
}
