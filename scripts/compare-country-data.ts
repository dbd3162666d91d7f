/**
 * Compares country tables with a reference table, such as the delegations of the RIRs:
 *
 *   bin/node scripts/compare-country-data.ts rir=ipv4.csv,ipv6.csv bundled=country.mmdb other=geoip,geoip6
 *
 * The first table is the reference. A table is an MMDB file, or two CSV files for IPv4 and IPv6 with the
 * columns first address, last address and code. docs/decisions/0053-country-data.md has the results.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type CountryResponse, open, type Reader } from 'maxmind'

type Reading = CountryResponse & { country_code?: string }
/** Ordered by address, without overlaps. */
type Range = { first: number; last: number; code: string }
type Table = { name: string; ranges: readonly Range[] }

/** Positions are IPv4 addresses or IPv6 /48 networks, because both fit in a number. */
const families = [
  { name: 'IPv4', bits: 32, from: 0, until: 2 ** 32, parse: ipv4Number, format: ipv4Text },
  // 2000::/3 contains all allocated addresses.
  { name: 'IPv6', bits: 48, from: 2 ** 45, until: 2 ** 46, parse: ipv6Number, format: ipv6Text },
] as const
type Family = (typeof families)[number]

for (const [index, family] of families.entries()) {
  const tables: Table[] = []
  for (const argument of process.argv.slice(2)) {
    const [name = '', files = ''] = argument.split('=')
    const paths = files.split(',')
    const [path = ''] = paths
    const ranges = path.endsWith('.mmdb')
      ? rangesOfReader(await open<Reading>(path), family)
      : await rangesOfCsv(paths[index] ?? '', family)
    tables.push({ name, ranges })
  }
  console.log(report(family, tables))
}

async function rangesOfCsv(path: string, { parse, from, until }: Family): Promise<Range[]> {
  const ranges: Range[] = []
  for await (const line of createInterface(createReadStream(path))) {
    const [first = '', last = '', code = ''] = line.split(',')
    if (line.startsWith('#') || code === '') continue
    const range = { first: parse(first), last: parse(last), code: countryOf(code) }
    if (range.first >= from && range.last < until) ranges.push(range)
  }
  return ranges
}

function rangesOfReader(reader: Reader<Reading>, { bits, from, until, format }: Family): Range[] {
  const ranges: Range[] = []
  for (let first = from; first < until; ) {
    const [record, length] = reader.getWithPrefixLength(format(first))
    const last = first + 2 ** (bits - Math.min(length, bits)) - 1
    const code = countryOf(record?.country?.iso_code ?? record?.country_code ?? '')
    ranges.push({ first, last, code })
    first = last + 1
  }
  return ranges
}

/**
 * Returns the code, or an empty string if it is not a country: unknown, Europe, Asia and the Pacific.
 */
function countryOf(code: string): string {
  return /^(\?\?|ZZ|EU|AP|)$/.test(code) ? '' : code
}

function report(family: Family, tables: readonly Table[]): string {
  const [reference, ...others] = tables
  if (!reference) throw new Error('Pass a reference table and at least one other table.')
  const counts = others.map(() => ({ wrong: 0, none: 0, alone: 0, wrongRanges: 0, noRanges: 0 }))
  let size = 0
  let ranges = 0
  for (const { range, parts } of overlay(reference, others)) {
    const whole = range.last - range.first + 1
    size += whole
    ranges += 1
    for (const { width, codes } of parts) {
      for (const [index, count] of counts.entries()) {
        const code = codes[index]
        if (code === range.code) continue
        count[code ? 'wrong' : 'none'] += width
        count[code ? 'wrongRanges' : 'noRanges'] += width / whole
        const rest = codes.filter((_, other) => other !== index)
        if (rest.every((each) => each === '' || each === range.code)) count.alone += width
      }
    }
  }
  const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(2)} %`
  const rows = others.map(({ name }, index) => {
    const { wrong, none, alone, wrongRanges, noRanges } = counts[index] as (typeof counts)[number]
    const shares = [percent(wrong, size), percent(none, size), percent(wrongRanges, ranges)]
    return `| ${[name, ...shares, percent(noRanges, ranges), percent(alone, size)].join(' | ')} |`
  })
  return `
${family.name}: ${ranges} ranges of ${reference.name}

| table | addresses wrong | addresses missing | ranges wrong | ranges missing | only this table wrong or missing |
|---|---|---|---|---|---|
${rows.join('\n')}`
}

/** Yields the reference's ranges that have a country, split wherever another table's code changes. */
function* overlay(reference: Table, others: readonly Table[]) {
  const places = others.map(() => 0)
  for (const range of reference.ranges) {
    if (range.code === '') continue
    const parts: { width: number; codes: string[] }[] = []
    for (let first = range.first; first <= range.last; ) {
      let last = range.last
      const codes = others.map(({ ranges }, index) => {
        let place = places[index] as number
        while (place < ranges.length && (ranges[place] as Range).last < first) place += 1
        places[index] = place
        const found = ranges[place]
        if (!found || found.first > last) return ''
        if (found.first > first) {
          last = found.first - 1
          return ''
        }
        last = Math.min(last, found.last)
        return found.code
      })
      parts.push({ width: last - first + 1, codes })
      first = last + 1
    }
    yield { range, parts }
  }
}

function ipv4Number(text: string): number {
  if (!text.includes('.')) return Number(text)
  return text.split('.').reduce((number, byte) => number * 256 + Number(byte), 0)
}

function ipv4Text(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}

function ipv6Number(text: string): number {
  const [before = '', after = ''] = text.split('::')
  const head = before.split(':').filter(Boolean)
  const tail = after.split(':').filter(Boolean)
  const middle = text.includes('::') ? Array(8 - head.length - tail.length).fill('0') : []
  const groups = [...head, ...middle, ...tail]
  return groups
    .slice(0, 3)
    .reduce((number, group) => number * 65_536 + Number.parseInt(group, 16), 0)
}

function ipv6Text(number: number): string {
  const groups = [32, 16, 0].map((shift) => (Math.floor(number / 2 ** shift) % 65_536).toString(16))
  return `${groups.join(':')}::`
}
