import { createByteaWriter } from '../../db/pg-binary.ts'
import { codecOf, KIND, LAST_KIND, labelKindNames } from '../encoding/label-kinds.ts'
import { maxBlockBytes, writeBlockHeader, writeClick } from '../encoding/raw-clicks.ts'
import { NO_LABEL } from './columns.ts'
import type { Grouped } from './group.ts'

const DAY_MS = 86_400_000

/** Rows of the table of raw clicks, as columns. */
export type RawBlocks = {
  accounts: number[]
  links: number[]
  days: number[]
  /** The number of human clicks. */
  clicks: number[]
  /** A PostgreSQL array of byte strings, in binary format. */
  blocks: Buffer
}

type BlockInput = {
  /** The label number of each of the batch's names. */
  labelIds: Int32Array
  accountOf: ReadonlyMap<number, number>
  /** Is 1 for each click that is the first of its visitor on the link. */
  firstClicks: Uint8Array
}

/** Packs the clicks of a batch into blocks. Omits clicks from before `keepFrom`. */
export function packRawClicks(
  { links, clicks, starts }: Grouped,
  { labelIds, accountOf, firstClicks }: BlockInput,
  keepFrom: number,
): RawBlocks {
  const rows: Omit<RawBlocks, 'blocks'> = { accounts: [], links: [], days: [], clicks: [] }
  const blocks = createByteaWriter()
  const columns = labelKindNames.map((name) => ({
    kind: KIND[name],
    values: clicks.labels[name],
    isFixed: codecOf(name) !== undefined,
  }))
  const labels = new Int32Array(LAST_KIND + 1)
  const click = {
    at: 0,
    visitorLow: 0,
    visitorHigh: 0,
    crawler: false,
    isFirst: false,
    labels,
  }

  function addBlock(linkId: number, day: number, from: number, to: number): void {
    let offset = blocks.startValue(maxBlockBytes(to - from))
    offset = writeBlockHeader(blocks.bytes, offset, { linkId, day, clicks: to - from })
    let humanClicks = 0
    for (let row = from; row < to; row += 1) {
      for (const { kind, values, isFixed } of columns) {
        const value = values[row] as number
        if (value === NO_LABEL) labels[kind] = 0
        else labels[kind] = isFixed ? value : (labelIds[value] as number)
      }
      click.at = clicks.at[row] as number
      click.visitorLow = clicks.visitorLow[row] as number
      click.visitorHigh = clicks.visitorHigh[row] as number
      click.crawler = clicks.crawler[row] === 1
      click.isFirst = firstClicks[row] === 1
      if (!click.crawler) humanClicks += 1
      offset = writeClick(blocks.bytes, offset, click)
    }
    blocks.endValue(offset)
    rows.accounts.push(accountOf.get(linkId) as number)
    rows.links.push(linkId)
    rows.days.push(day)
    rows.clicks.push(humanClicks)
  }

  for (let position = 0; position < links.length; position += 1) {
    const end = starts[position + 1] as number
    for (let from = starts[position] as number; from < end; ) {
      const day = dayOf(clicks.at[from] as number)
      let to = from + 1
      while (to < end && dayOf(clicks.at[to] as number) === day) to += 1
      if (day * DAY_MS >= keepFrom) addBlock(links[position] as number, day, from, to)
      from = to
    }
  }
  return { ...rows, blocks: blocks.finish() }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}
