/** The metrics that show the service's health. NaN if unknown. */
export type HealthFigures = {
  importerUp: number
  /** Seconds for which all imports have failed, 0 if the last one succeeded. */
  importerFailing: number
  /** The error of the last failed import. */
  importerError: string
  /** In seconds. */
  lag: number
  waitingBytes: number
  journalBytes: number
  clicksJournalled: number
  clicksLost: number
  storedLinks: number
  /** 1 while the link store is being built. */
  storeBuilding: number
  /** In seconds. */
  storeLag: number
  databaseUp: number
  /** In seconds. */
  databaseAnswer: number
  databaseBytes: number
  connections: number
  requestsWaiting: number
  diskFree: number
  diskSize: number
  /** Pending mails, and those abandoned in the last week. NaN if mail is not set up. */
  mailWaiting: number
  mailFailed: number
  mailError: string
  workers: number
  workersExpected: number
}

/** A problem and its remedy. */
export type Finding = { problem: string; remedy: string }

const GIB = 2 ** 30
/** Seconds of lag that a burst of visits may cause. */
const MAX_LAG_SECONDS = 60
const MAX_FAILURE_SECONDS = 60
/** Seconds without changes that a restart of the follower may cause. */
const MAX_STORE_LAG_SECONDS = 30
/** Seconds, much longer than a database with spare capacity takes. */
const SLOW_REPLY_SECONDS = 0.5
/** The minimum free disk space, absolute or as a share, whichever is smaller. */
const MIN_FREE_BYTES = GIB
const MIN_FREE_SHARE = 0.05

/** Returns whether imports have failed for longer than a restart of the database takes. */
export function isImporterFailing({ importerFailing }: HealthFigures): boolean {
  return importerFailing >= MAX_FAILURE_SECONDS
}

/** Returns the problems, most serious first. */
export function judgeHealth(figures: HealthFigures): Finding[] {
  return [
    lostClicks(figures),
    fullDisk(figures),
    database(figures),
    importer(figures),
    linkStore(figures),
    workers(figures),
    mail(figures),
  ].flatMap((finding) => finding ?? [])
}

function lostClicks({ clicksLost }: HealthFigures): Finding | undefined {
  if (!(clicksLost > 0)) return undefined
  const clicks = clicksLost === 1 ? '1 click' : `${clicksLost} clicks`
  return {
    problem: `${clicks} could not be written to the journal since the start, and will not be counted.`,
    remedy:
      'Look in the log for why: most often the disk of the data folder was full or the folder could not be written to. Once that is mended, no more are lost.',
  }
}

function fullDisk({ diskFree, diskSize }: HealthFigures): Finding | undefined {
  const isFull = diskFree < MIN_FREE_BYTES || diskFree < diskSize * MIN_FREE_SHARE
  if (!isFull) return undefined
  return {
    problem: 'The disk of the data folder is nearly full.',
    remedy:
      'Make room before it is: with none left, clicks cannot be written down. What lies beside the data folder, old backups for instance, is a good place to begin.',
  }
}

function database({
  databaseUp,
  databaseAnswer,
  requestsWaiting,
}: HealthFigures): Finding | undefined {
  if (databaseUp === 0) {
    return {
      problem: 'The database does not answer.',
      remedy:
        'Known links still redirect and clicks wait in the journal. See whether PostgreSQL runs and DATABASE_URL is right; everything goes on by itself once it answers.',
    }
  }
  if (databaseAnswer > SLOW_REPLY_SECONDS) {
    return {
      problem: 'The database is slow to answer.',
      remedy:
        'See what else its machine does, and whether its disk or its memory is short; a backup or a large import may be running.',
    }
  }
  if (requestsWaiting > 0) {
    return {
      problem: 'Requests wait for a connection to the database.',
      remedy:
        'That passes after a burst. If it stays, the database is too slow for what is asked of it, or WORKERS can be higher.',
    }
  }
  return undefined
}

function importer(figures: HealthFigures): Finding | undefined {
  const { importerUp, lag, databaseUp } = figures
  if (databaseUp === 0) return undefined
  if (isImporterFailing(figures)) {
    return {
      problem: `Clicks can’t be imported: ${figures.importerError}`,
      remedy:
        'No clicks are lost: they wait in the journal. The importer keeps trying and catches up by itself once the cause is fixed. On a cluster, check that every worker node is up.',
    }
  }
  if (importerUp === 0) {
    return {
      problem: 'No importer works on the journal of this machine, so clicks are not counted.',
      remedy:
        'It is started with the service and again whenever it ends: look in the log for lines of the importer. No click is lost meanwhile; they wait in the journal.',
    }
  }
  if (lag > MAX_LAG_SECONDS) {
    return {
      problem: 'Clicks are counted late.',
      remedy:
        'After many visits at once it catches up by itself. If the time grows, look in the log for lines of the importer and see whether the database is slow.',
    }
  }
  return undefined
}

function linkStore({ storeLag, databaseUp }: HealthFigures): Finding | undefined {
  if (databaseUp === 0 || !(storeLag > MAX_STORE_LAG_SECONDS)) return undefined
  return {
    problem: 'The link store does not follow changes.',
    remedy:
      'Links redirect correctly but more slowly, and recent changes would be missing if PostgreSQL stopped. See the log for lines of the follower, which restarts by itself.',
  }
}

function workers({ workers, workersExpected }: HealthFigures): Finding | undefined {
  if (!(workers < workersExpected)) return undefined
  return {
    problem: `Only ${workers} of ${workersExpected} workers answer.`,
    remedy:
      'A worker that ends is started again at once. If that does not help, look in the log for why it ended.',
  }
}

function mail({ mailWaiting, mailFailed, mailError }: HealthFigures): Finding | undefined {
  if (mailFailed > 0) {
    const mails = mailFailed === 1 ? '1 email' : `${mailFailed} emails`
    return {
      problem: `${mails} could not be sent in the last week: ${mailError}`,
      remedy:
        'They were given up after several attempts. Check SMTP_URL and MAIL_FROM, and whether the mail server accepts them.',
    }
  }
  if (mailWaiting > 0 && mailError) {
    return {
      problem: `Email is delayed: ${mailError}`,
      remedy: 'It is sent again with growing pauses. Check SMTP_URL and the mail server.',
    }
  }
  return undefined
}
