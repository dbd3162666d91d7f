import { type Journal, openJournal } from '../../src/clicks/append.ts'
import type { ClickRecord } from '../../src/clicks/journal/format.ts'

/** The segment size in tests, so that several segments are created. */
export const SMALL_SEGMENT = 64 << 10
export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

/** Returns a click on a link at the current time. Each `identity` is a different visitor. */
export function createClick(
  linkId: number,
  identity: number,
  fields: Partial<ClickRecord> = {},
): ClickRecord {
  const address = `10.${(identity >> 16) & 255}.${(identity >> 8) & 255}.${identity & 255}`
  const record = {
    linkId,
    at: Date.now(),
    address,
    userAgent: FIREFOX,
    referrer: '',
    languages: '',
  }
  return { ...record, ...fields }
}

/** Opens a journal that throws if clicks are lost. */
export function openTestJournal(
  dir: string,
  options: Partial<Parameters<typeof openJournal>[0]> = {},
) {
  return openJournal({
    dir,
    sync: 'background',
    onLoss: (count, error) => {
      throw new Error(`${count} clicks were lost`, { cause: error })
    },
    ...options,
  })
}

/** Appends clicks to the journal. Resolves when they are stored. */
export async function appendAll(
  journal: Pick<Journal, 'append'>,
  clicks: readonly ClickRecord[],
): Promise<void> {
  await Promise.all(
    clicks.map((record) => new Promise<void>((resolve) => journal.append(record, resolve))),
  )
}

/** Returns a function that kills this process when called with `point` for the `nth` time. */
export function killAt(point: string, nth: number): (reached: string) => void {
  let count = 0
  return (reached) => {
    if (reached === point && ++count === nth) process.kill(process.pid, 'SIGKILL')
  }
}
