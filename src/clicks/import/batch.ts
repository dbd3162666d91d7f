import type { DeviceClass } from '../../visitors/user-agent.ts'
import type { ClickDescription } from './describe.ts'

/** The label of what a link has no room to keep apart. */
export const OTHER = 'Other'

const DEVICES: Record<DeviceClass, number> = { unknown: 0, desktop: 1, mobile: 2, tablet: 3 }
const NO_SOCIAL = -1

export type Batch = ReturnType<typeof createBatch>

/**
 * Clicks as columns, as they come from the journal. Their labels are indexes in `names` until the
 * database has given each name its number.
 */
export function createBatch() {
  const names: string[] = []
  const hash = new DataView(new ArrayBuffer(8))
  const indexes = new Map<string, number>()
  const columns = {
    link: [] as number[],
    at: [] as number[],
    /** The two halves of a visitor's hash, each as a signed number of 32 bits. */
    visitorLow: [] as number[],
    visitorHigh: [] as number[],
    country: [] as number[],
    referrer: [] as number[],
    browser: [] as number[],
    os: [] as number[],
    social: [] as number[],
    device: [] as number[],
    crawler: [] as boolean[],
  }

  /** Where a name stands in `names`; it is added if it is new. */
  function indexOf(name: string): number {
    const known = indexes.get(name)
    if (known !== undefined) return known
    indexes.set(name, names.length)
    return names.push(name) - 1
  }

  function add(linkId: number, at: number, click: ClickDescription): void {
    columns.link.push(linkId)
    columns.at.push(at)
    hash.setBigInt64(0, click.visitor)
    columns.visitorHigh.push(hash.getInt32(0))
    columns.visitorLow.push(hash.getInt32(4))
    columns.country.push(indexOf(click.country))
    columns.referrer.push(indexOf(click.referrer))
    columns.browser.push(indexOf(click.browser))
    columns.os.push(indexOf(click.os))
    columns.social.push(click.social === undefined ? NO_SOCIAL : indexOf(click.social))
    columns.device.push(DEVICES[click.device])
    columns.crawler.push(click.crawler)
  }

  return { add, indexOf, names, columns }
}
