import type { Db } from '../../db/pool.ts'
import { invalid } from '../../errors.ts'
import { findCountryCode, getCountryName } from '../../visitors/country-names.ts'
import { parseLanguageTarget } from '../../visitors/language.ts'
import { AUTOMATED_LABEL, NOT_AUTOMATED_LABEL, SCAN_LABEL } from '../encoding/fixed-labels.ts'
import { type LabelKindName, type LabelList, listedKinds } from '../encoding/label-kinds.ts'
import { toLabelText, toVariantLabel } from '../encoding/label-text.ts'
import { findLabels } from './periods.queries.ts'

/**
 * The kinds of labels by which statistics can be filtered. The names are those of the parameters.
 */
export type FilterName = Exclude<LabelKindName, 'social'>

export const filterNames = listedKinds.map(({ name }) => name) as readonly FilterName[]

/** The name of the filter for each list of labels. */
export const filterOfList = Object.fromEntries(
  listedKinds.map(({ list, name }) => [list, name]),
) as Readonly<Record<LabelList, FilterName>>

/** The accepted labels by kind. A kind without labels accepts all clicks. */
export type LabelFilters = Partial<Record<FilterName, readonly string[]>>

/** The accepted label numbers, by kind number. */
export type NumberedFilters = ReadonlyMap<number, ReadonlySet<number>>

type FilterQuery = Partial<Record<FilterName, string | string[] | undefined>>

const MAX_VALUES = 50
/** The maximum length of a label. Destinations can be this long. */
const MAX_LENGTH = 8192
const UNKNOWN = 'Unknown'
const CHOICES: Partial<Record<FilterName, readonly string[]>> = {
  device: ['Desktop', 'Mobile', 'Tablet', UNKNOWN],
  source: [SCAN_LABEL],
  automated: [AUTOMATED_LABEL, NOT_AUTOMATED_LABEL],
}

/**
 * Parses the labels to filter by. Parameters may be repeated.
 *
 * @throws AppError `invalid_input` naming the parameter
 */
export function readFilters(query: FilterQuery): LabelFilters {
  const filters: LabelFilters = {}
  for (const name of filterNames) {
    const requested = query[name]
    const values = (requested === undefined ? [] : [requested]).flat()
    if (values.length === 0) continue
    if (values.length > MAX_VALUES) throw invalid(name, 'at_most_values', { max: MAX_VALUES })
    filters[name] = [...new Set(values.map((value) => readLabel(name, value.trim())))]
  }
  return filters
}

/**
 * Returns the numbers of the labels, and of the labels to which long texts were truncated when they
 * were stored. Labels without clicks have no number.
 */
export async function resolveFilters(db: Db, filters: LabelFilters): Promise<NumberedFilters> {
  const kinds = listedKinds.flatMap(({ name, number, codec }) => {
    const labels = filters[name as FilterName]
    if (!labels) return []
    const truncate = name === 'variant' ? toVariantLabel : toLabelText
    const stored = codec ? labels : labels.flatMap((label) => [label, truncate(label)])
    return [{ number, codec, labels: stored }]
  })
  const names = kinds.flatMap(({ codec, labels }) => (codec ? [] : labels))
  const ids = await findLabels(db, names)
  return new Map(
    kinds.map(({ number, codec, labels }) => {
      const numberOf = codec?.numberOf ?? ((label: string) => ids.get(label))
      return [number, new Set(labels.flatMap((label) => numberOf(label) ?? []))]
    }),
  )
}

function readLabel(name: FilterName, value: string): string {
  if (value === '') throw invalid(name, 'empty')
  if (value.length > MAX_LENGTH) throw invalid(name, 'at_most_characters', { max: MAX_LENGTH })
  const isUnknown = value.toLowerCase() === UNKNOWN.toLowerCase()
  if (name === 'country' && !isUnknown) {
    const code = findCountryCode(value)
    if (!code) throw invalid(name, 'country_or_name')
    return getCountryName(code)
  }
  if (name === 'language' && !isUnknown) {
    const code = parseLanguageTarget(value) ?? (/^[a-z]{3}$/.test(value) ? value : undefined)
    if (!code || code.includes('-')) {
      throw invalid(name, 'language_or_name')
    }
    return code
  }
  const choices = CHOICES[name]
  if (choices) {
    const choice = choices.find((each) => each.toLowerCase() === value.toLowerCase())
    if (!choice) throw invalid(name, 'one_of', { choices: choices.join(', ') })
    return choice
  }
  return isUnknown ? UNKNOWN : value
}
