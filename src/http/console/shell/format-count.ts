import { memoizePerLanguage } from '../../../texts.ts'

// Cached: creating a formatter takes as long as formatting a hundred numbers.
const whole = memoizePerLanguage((language) => new Intl.NumberFormat(language))
const percent = memoizePerLanguage(
  (language) => new Intl.NumberFormat(language, { style: 'percent' }),
)
const compact = memoizePerLanguage(
  (language) => new Intl.NumberFormat(language, { notation: 'compact' }),
)

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
