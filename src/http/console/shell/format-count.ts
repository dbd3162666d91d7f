import { memoizePerLanguage, t } from '../../../texts.ts'

// Cached: creating a formatter takes as long as formatting a hundred numbers.
const whole = memoizePerLanguage((language) => new Intl.NumberFormat(language))
const percent = memoizePerLanguage(
  (language) => new Intl.NumberFormat(language, { style: 'percent' }),
)
const compact = memoizePerLanguage(
  (language) => new Intl.NumberFormat(language, { notation: 'compact' }),
)
const tenths = memoizePerLanguage(
  (language) =>
    new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)
const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Formats a whole number: 12,345. */
export function formatCount(value: number): string {
  return whole().format(value)
}

/** Formats a ratio in percent: 0.12 as 12%. */
export function formatPercent(ratio: number): string {
  return percent().format(ratio)
}

/** Formats a number in short form for an axis: 1,200 as 1.2K. */
export function formatShort(value: number): string {
  return compact().format(value)
}

/** Formats a number of bytes in a suitable unit: `1.5 GiB`. NaN is unknown. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return t('admin.amounts.unknown')
  if (bytes < 1024) return t('admin.amounts.bytes', { n: Math.round(bytes) })
  const power = Math.min(BYTE_UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  const text = amount < 10 ? tenths().format(amount) : formatCount(Math.round(amount))
  return `${text} ${BYTE_UNITS[power - 1]}`
}
