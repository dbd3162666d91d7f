/** The result of one check. `remedy` says what to do unless the state is `ok`. */
export type Finding = {
  check: string
  state: 'ok' | 'warning' | 'error'
  detail: string
  remedy: string | null
}

export function ok(detail: string): Omit<Finding, 'check'> {
  return { state: 'ok', detail, remedy: null }
}

export function warning(detail: string, remedy: string): Omit<Finding, 'check'> {
  return { state: 'warning', detail, remedy }
}

export function failure(detail: string, remedy: string): Omit<Finding, 'check'> {
  return { state: 'error', detail, remedy }
}

/** Runs a check. If it throws, its message becomes an error with the remedy. */
export async function runCheck(
  check: string,
  remedy: string,
  work: () => Promise<Omit<Finding, 'check'>>,
): Promise<Finding> {
  try {
    return { check, ...(await work()) }
  } catch (error) {
    return { check, ...failure(toMessage(error), remedy) }
  }
}

export function toMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return toMessage(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}

export function formatAge(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 72 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
