import { deviceNumber, languageNumber } from '../encoding/fixed-labels.ts'
import type { ClickDescription } from './describe.ts'

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
    language: [] as number[],
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
    columns.device.push(deviceNumber(click.device))
    columns.language.push(languageNumber(click.language))
    columns.crawler.push(click.crawler)
  }

  return { add, indexOf, names, columns }
}
