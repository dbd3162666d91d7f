import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type CountryResponse, open, type Reader } from 'maxmind'
import { readArguments, rejectArguments } from './arguments.ts'

const USAGE = `Usage: bin/node scripts/compare-country-data.ts rir=ipv4.csv,ipv6.csv bundled=country.mmdb other=geoip,geoip6

Compares country tables with a reference table, such as the delegations of the RIRs. The first table is the
reference. A table is an MMDB file, or two CSV files for IPv4 and IPv6 with the columns first address, last
address and code. docs/country-data.md has the results.`

type Reading = CountryResponse & { country_code?: string }
type Range = { first: number; last: number; code: string }
/** The ranges are ordered by address and do not overlap. */
type Table = { name: string; ranges: readonly Range[] }

/** Addresses are numbers: IPv4 addresses or IPv6 /48 networks, because both fit in a number. */
const families = [
  { name: 'IPv4', bits: 32, from: 0, until: 2 ** 32, parse: parseIpv4, format: formatIpv4 },
  // 2000::/3 contains all allocated addresses.
  { name: 'IPv6', bits: 48, from: 2 ** 45, until: 2 ** 46, parse: parseIpv6, format: formatIpv6 },
] as const
type Family = (typeof families)[number]

const { positionals } = readArguments(USAGE, { positionals: true })
if (positionals.length < 2) rejectArguments(USAGE, 'Name a reference table and another one.')
for (const [index, family] of families.entries()) {
  const tables: Table[] = []
  for (const argument of positionals) {
    const [name = '', files = ''] = argument.split('=')
    const paths = files.split(',')
    const [path = ''] = paths
    const ranges = path.endsWith('.mmdb')
      ? readMmdbRanges(await open<Reading>(path), family)
      : await readCsvRanges(paths[index] ?? '', family)
    tables.push({ name, ranges })
  }
  console.log(createReport(family, tables))
}

async function readCsvRanges(path: string, { parse, from, until }: Family): Promise<Range[]> {
  const ranges: Range[] = []
  for await (const line of createInterface(createReadStream(path))) {
    const [first = '', last = '', code = ''] = line.split(',')
    if (line.startsWith('#') || code === '') continue
    const range = { first: parse(first), last: parse(last), code: normalizeCountryCode(code) }
    if (range.first >= from && range.last < until) ranges.push(range)
  }
  return ranges
}

function readMmdbRanges(reader: Reader<Reading>, { bits, from, until, format }: Family): Range[] {
  const ranges: Range[] = []
  for (let first = from; first < until; ) {
    const [record, length] = reader.getWithPrefixLength(format(first))
    const last = first + 2 ** (bits - Math.min(length, bits)) - 1
    const code = normalizeCountryCode(record?.country?.iso_code ?? record?.country_code ?? '')
    ranges.push({ first, last, code })
    first = last + 1
  }
  return ranges
}

/** Returns the code, or an empty string if it stands for no country, such as `EU` for Europe. */
function normalizeCountryCode(code: string): string {
  return /^(\?\?|ZZ|EU|AP|)$/.test(code) ? '' : code
}

function createReport(family: Family, tables: readonly Table[]): string {
  const [reference, ...others] = tables
  if (!reference) throw new Error('Pass a reference table and at least one other table.')
  const counts = others.map(() => ({
    wrong: 0,
    missing: 0,
    onlyHere: 0,
    wrongRanges: 0,
    missingRanges: 0,
  }))
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
        count[code ? 'wrong' : 'missing'] += width
        count[code ? 'wrongRanges' : 'missingRanges'] += width / whole
        const otherCodes = codes.filter((_code, otherIndex) => otherIndex !== index)
        if (otherCodes.every((each) => each === '' || each === range.code)) count.onlyHere += width
      }
    }
  }
  const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(2)} %`
  const rows = others.map(({ name }, index) => {
    const { wrong, missing, onlyHere, wrongRanges, missingRanges } = counts[
      index
    ] as (typeof counts)[number]
    const shares = [percent(wrong, size), percent(missing, size), percent(wrongRanges, ranges)]
    return `| ${[name, ...shares, percent(missingRanges, ranges), percent(onlyHere, size)].join(' | ')} |`
  })
  return `
${family.name}: ${ranges} ranges of ${reference.name}

| table | addresses wrong | addresses missing | ranges wrong | ranges missing | only this table wrong or missing |
|---|---|---|---|---|---|
${rows.join('\n')}`
}

/** Yields the reference's ranges that have a country, split wherever another table's code changes. */
function* overlay(reference: Table, others: readonly Table[]) {
  const positions = others.map(() => 0)
  for (const range of reference.ranges) {
    if (range.code === '') continue
    const parts: { width: number; codes: string[] }[] = []
    for (let first = range.first; first <= range.last; ) {
      let last = range.last
      const codes = others.map(({ ranges }, index) => {
        let position = positions[index] as number
        while (position < ranges.length && (ranges[position] as Range).last < first) position += 1
        positions[index] = position
        const current = ranges[position]
        if (!current || current.first > last) return ''
        if (current.first > first) {
          last = current.first - 1
          return ''
        }
        last = Math.min(last, current.last)
        return current.code
      })
      parts.push({ width: last - first + 1, codes })
      first = last + 1
    }
    yield { range, parts }
  }
}

function parseIpv4(text: string): number {
  if (!text.includes('.')) return Number(text)
  return text.split('.').reduce((number, byte) => number * 256 + Number(byte), 0)
}

function formatIpv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.')
}

function parseIpv6(text: string): number {
  const [before = '', after = ''] = text.split('::')
  const head = before.split(':').filter(Boolean)
  const tail = after.split(':').filter(Boolean)
  const middle = text.includes('::') ? Array(8 - head.length - tail.length).fill('0') : []
  const groups = [...head, ...middle, ...tail]
  return groups
    .slice(0, 3)
    .reduce((number, group) => number * 65_536 + Number.parseInt(group, 16), 0)
}

function formatIpv6(number: number): string {
  const groups = [32, 16, 0].map((shift) => (Math.floor(number / 2 ** shift) % 65_536).toString(16))
  return `${groups.join(':')}::`
}
