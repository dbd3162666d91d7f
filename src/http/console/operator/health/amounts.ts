import { memoizePerLanguage, t } from '../../../../texts.ts'
import { formatCount } from '../../shell/format-count.ts'

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']

const createNumberFormat = (fractionDigits: number, options: Intl.NumberFormatOptions = {}) =>
  memoizePerLanguage(
    (language) =>
      new Intl.NumberFormat(language, {
        ...options,
        minimumFractionDigits: fractionDigits,
        maximumFractionDigits: fractionDigits,
      }),
  )
const wholeAmount = createNumberFormat(0)
const smallAmount = createNumberFormat(1)
const percent = createNumberFormat(1, { style: 'percent' })

/** Formats a number of bytes in a suitable unit. NaN is unknown. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return t('admin.amounts.unknown')
  if (bytes < 1024) return t('admin.amounts.bytes', { n: Math.round(bytes) })
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  const format = amount < 10 ? smallAmount() : wholeAmount()
  return `${format.format(amount)} ${UNITS[power - 1]}`
}

/** Formats a duration in its one or two largest units, from milliseconds to days. NaN is unknown. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return t('admin.amounts.unknown')
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  const wholeSeconds = Math.floor(seconds)
  if (wholeSeconds < 60) return `${wholeSeconds} s`
  if (wholeSeconds < 3600) return `${Math.floor(wholeSeconds / 60)} min ${wholeSeconds % 60} s`
  if (wholeSeconds < 86_400)
    return `${Math.floor(wholeSeconds / 3600)} h ${Math.floor((wholeSeconds % 3600) / 60)} min`
  const days = Math.floor(wholeSeconds / 86_400)
  const hours = Math.floor((wholeSeconds % 86_400) / 3600)
  return `${t('admin.amounts.days', { n: days })} ${hours} h`
}

/** Formats a count. NaN is unknown. */
export function formatMetricCount(count: number): string {
  return Number.isFinite(count) ? formatCount(count) : t('admin.amounts.unknown')
}

/** Formats the hit rate of a cache. */
export function formatRate({ hits, misses }: { hits: number; misses: number }): string {
  const lookups = hits + misses
  if (lookups === 0) return t('admin.amounts.noLookups')
  return t('admin.amounts.rate', {
    percent: percent().format(hits / lookups),
    lookups: formatCount(lookups),
  })
}
