import { LAST_KIND } from '../src/clicks/encoding/label-kinds.ts'
import { maxBlockBytes, writeBlockHeader, writeClick } from '../src/clicks/encoding/raw-clicks.ts'
import { addPartitions, monthOf } from '../src/clicks/import.ts'
import { withConnection } from '../src/db/connection.ts'
import type { ConnectionPool } from '../src/db/connection-pool.ts'
import { byteaArray, dateArray, int4Array, int8Array } from '../src/db/pg-binary.ts'
import { inTransaction } from '../src/db/transaction.ts'

type FillRawClicksOptions = {
  account: number
  /** These links are clicked in turn. */
  links: readonly number[]
  clicks: number
  /** The number of days, ending today. */
  days: number
}

const DAY = 86_400_000
const ROWS_PER_STATEMENT = 50_000
/** The number of labels of each kind, indexed by kind. */
const LABELS_PER_KIND = [0, 120, 400, 40, 60, 1, 4, 40]

/** Inserts raw clicks in blocks of one click each, as they are before `compactRawClicks` joins them. */
export async function fillRawClicks(
  pool: ConnectionPool,
  options: FillRawClicksOptions,
): Promise<void> {
  const { account, links, clicks, days } = options
  const today = Math.floor(Date.now() / DAY)
  const months = Array.from({ length: days }, (_, ago) => monthOf((today - ago) * DAY))
  await withConnection({ pool }, ({ db }) =>
    inTransaction(db, (tx) => addPartitions(tx, new Set(months))),
  )
  for (let first = 0; first < clicks; first += ROWS_PER_STATEMENT) {
    const count = Math.min(ROWS_PER_STATEMENT, clicks - first)
    const ids: number[] = []
    const dates: number[] = []
    const blocks: Buffer[] = []
    for (let index = first; index < first + count; index += 1) {
      const linkId = links[index % links.length] ?? 0
      const day = today - days + 1 + Math.floor((index * days) / clicks)
      ids.push(linkId)
      dates.push(day)
      blocks.push(encodeClick(linkId, day, index))
    }
    await pool.query(
      `insert into clicks (account_id, link_id, day, clicks, blocks)
       select * from unnest($1::bigint[], $2::bigint[], $3::date[], $4::int[], $5::bytea[])`,
      [
        int8Array(ids.map(() => account)),
        int8Array(ids),
        dateArray(dates),
        int4Array(ids.map(() => 1)),
        byteaArray(blocks),
      ],
    )
  }
}

/** Encodes the click with this index. Multiplying by primes spreads its labels and its time. */
function encodeClick(linkId: number, day: number, index: number): Buffer {
  const block = Buffer.alloc(maxBlockBytes(1))
  const header = writeBlockHeader(block, 0, { linkId, day, clicks: 1 })
  const labels = Int32Array.from({ length: LAST_KIND + 1 }, (_, kind) =>
    Math.floor(((index * 7919 * kind) % 1_000_003) * ((LABELS_PER_KIND[kind] ?? 1) / 1_000_003)),
  )
  const end = writeClick(block, header, {
    at: day * DAY + ((index * 104_729) % DAY),
    crawler: false,
    isFirst: index % 3 === 0,
    visitorLow: index,
    visitorHigh: -index,
    labels,
  })
  return block.subarray(0, end)
}
