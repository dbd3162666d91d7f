import { UTM_NAMES, type UtmName, type UtmValues } from '../../../../utm/utm.ts'
import type { FormRow } from '../form.ts'

export type SplitParameters = { utm: UtmValues; others: FormRow[] }

/** Separates the UTM parameters, which have their own inputs, from the others. */
export function splitUtm(rows: readonly FormRow[]): SplitParameters {
  const utm: UtmValues = {}
  const others = rows.filter(({ name, value }) => {
    if (!isUtmName(name) || name in utm || value.trim() === '') return true
    utm[name] = value
    return false
  })
  return { utm, others }
}

/** Joins all parameters, UTM parameters first. */
export function joinUtm({ utm, others }: SplitParameters): FormRow[] {
  const first = UTM_NAMES.flatMap((name) => {
    const value = utm[name]?.trim()
    return value ? { name, value } : []
  })
  return [...first, ...others]
}

/** Reads the UTM inputs of a submitted form. */
export function readUtm(given: Readonly<Record<string, unknown>>): UtmValues {
  const values = UTM_NAMES.flatMap((name) => {
    const value = given[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries(values)
}

/** Returns the id of the input for an error of a parameter. */
export function findParameterInput(
  rows: readonly FormRow[],
  index: number,
  part: 'name' | 'value',
): string {
  const { utm, others } = splitUtm(rows)
  const count = rows.length - others.length
  const name = rows[index]?.name ?? ''
  return index < count && isUtmName(name) && name in utm
    ? name
    : `parameter-${index - count}-${part}`
}

function isUtmName(name: string): name is UtmName {
  return UTM_NAMES.some((each) => each === name)
}
