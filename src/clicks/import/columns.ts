/**
 * Clicks as columns, each click at the same index of all of them. Labels are indexes in the batch's
 * `names`, or the numbers of those that need no table.
 */
export type Columns = {
  /** Indexes in the batch's `links`. */
  link: Int32Array
  /** Milliseconds since 1970. */
  at: Float64Array
  /** The two halves of a visitor's hash. */
  visitorLow: Int32Array
  visitorHigh: Int32Array
  country: Int32Array
  referrer: Int32Array
  browser: Int32Array
  os: Int32Array
  /** `NO_SOCIAL` for none. */
  social: Int32Array
  device: Int32Array
  language: Int32Array
  /** 1 for a crawler, else 0. */
  crawler: Int32Array
}

export const NO_SOCIAL = -1

/** Makes columns with room for so many clicks. */
export function createColumns(room: number): Columns {
  return {
    link: new Int32Array(room),
    at: new Float64Array(room),
    visitorLow: new Int32Array(room),
    visitorHigh: new Int32Array(room),
    country: new Int32Array(room),
    referrer: new Int32Array(room),
    browser: new Int32Array(room),
    os: new Int32Array(room),
    social: new Int32Array(room),
    device: new Int32Array(room),
    language: new Int32Array(room),
    crawler: new Int32Array(room),
  }
}

/** The same clicks with room for `room` of them. */
export function withRoom(columns: Columns, room: number): Columns {
  const larger = createColumns(room)
  for (const name of NAMES) larger[name].set(columns[name])
  return larger
}

/** The first of the clicks; their memory is shared. */
export function firstOf(columns: Columns, count: number): Columns {
  const { link, at, visitorLow, visitorHigh, country, referrer } = columns
  const { browser, os, social, device, language, crawler } = columns
  return {
    link: link.subarray(0, count),
    at: at.subarray(0, count),
    visitorLow: visitorLow.subarray(0, count),
    visitorHigh: visitorHigh.subarray(0, count),
    country: country.subarray(0, count),
    referrer: referrer.subarray(0, count),
    browser: browser.subarray(0, count),
    os: os.subarray(0, count),
    social: social.subarray(0, count),
    device: device.subarray(0, count),
    language: language.subarray(0, count),
    crawler: crawler.subarray(0, count),
  }
}

/**
 * The clicks of `rows` in that order. Reading clicks here and there waits for memory at every column;
 * so they are moved once, and everything after that reads them one after the other.
 */
export function inOrder(columns: Columns, rows: Uint32Array): Columns {
  const ordered = createColumns(rows.length)
  for (const name of NAMES) {
    const [from, to] = [columns[name], ordered[name]]
    for (let index = 0; index < rows.length; index += 1) {
      to[index] = from[rows[index] as number] as number
    }
  }
  return ordered
}

/** The values of a column, each once, ascending; negative ones stand for none. */
export function valuesOf(column: Int32Array): Uint32Array {
  let most = -1
  for (let row = 0; row < column.length; row += 1) most = Math.max(most, column[row] as number)
  const seen = new Uint8Array(most + 1)
  for (let row = 0; row < column.length; row += 1) seen[column[row] as number] = 1
  return Uint32Array.from(seen.keys()).filter((value) => seen[value] === 1)
}

const NAMES = Object.keys(createColumns(0)) as (keyof Columns)[]
