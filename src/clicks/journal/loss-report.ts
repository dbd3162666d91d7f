import { describeFileProblem, readFreeBytes } from '../../files/file-problem.ts'

type Fields = { clicks: number; reason: string; freeBytes?: number | undefined }
type Report = (fields: Fields, message: string) => void
type Options = { dir?: string; intervalMs?: number }

/**
 * Creates the function that logs lost clicks. It logs the first loss immediately, and adds up later
 * ones to log them once per `intervalMs` milliseconds, with the cause and the free space of `dir`. On a full disk every write fails, and the
 * log may be on the same disk.
 */
export function createLossReport(report: Report, { dir, intervalMs = 1000 }: Options = {}) {
  let clicks = 0
  let timer: NodeJS.Timeout | undefined

  return function onLoss(count: number, error: Error): void {
    clicks += count
    if (timer) return
    logLoss(error)
    timer = setTimeout(() => {
      timer = undefined
      if (clicks > 0) logLoss(error)
    }, intervalMs)
    timer.unref()
  }

  function logLoss(error: Error): void {
    const facts = dir
      ? { reason: describeFileProblem(dir, error), freeBytes: readFreeBytes(dir) }
      : { reason: String(error) }
    report({ clicks, ...facts }, 'clicks could not be written to the journal')
    clicks = 0
  }
}

const RESERVE_INTERVAL_MS = 60_000

/** Creates the function that logs, at most once a minute, that the disk is full. */
export function createReserveReport(
  report: (fields: { reserveBytes: number }, message: string) => void,
) {
  let reportedAt = Number.NEGATIVE_INFINITY

  return function onReserveUsed(left: number): void {
    if (left > 0 && performance.now() - reportedAt < RESERVE_INTERVAL_MS) return
    reportedAt = performance.now()
    report({ reserveBytes: left }, 'the disk is full, so clicks use up the reserve of the journal')
  }
}
