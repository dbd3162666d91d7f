type Report = (fields: { clicks: number; reason: string }, message: string) => void

/**
 * Creates the function that logs lost clicks. It logs the first loss immediately, and adds up later
 * ones to log them once per `intervalMs` milliseconds. On a full disk every write fails, and the
 * log may be on the same disk.
 */
export function createLossReport(report: Report, intervalMs = 1000) {
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
    report({ clicks, reason: String(error) }, 'clicks could not be written to the journal')
    clicks = 0
  }
}
