/** The parameters that analytics programs read, in the order in which the form shows them. */
export const UTM_NAMES = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const
export type UtmName = (typeof UTM_NAMES)[number]
export type UtmValues = Partial<Record<UtmName, string>>

/** UTM parameters with a name, to be used for other links of the account. */
export type UtmTemplate = { id: number; name: string; values: UtmValues }

type Parameter = { name: string; value: string }

/** Separates the UTM parameters, each with a value and at its first place, from the others. */
export function splitUtm(parameters: readonly Parameter[]) {
  const utm: UtmValues = {}
  const others = parameters.filter(({ name, value }) => {
    const utmName = UTM_NAMES.find((each) => each === name)
    if (!utmName || utmName in utm || value.trim() === '') return true
    utm[utmName] = value
    return false
  })
  return { utm, others }
}

/** Returns the UTM parameters among values by name, without empty ones. */
export function listUtm(values: Readonly<Record<string, string>>): Parameter[] {
  return UTM_NAMES.map((name) => ({ name, value: values[name]?.trim() ?? '' })).filter(
    ({ value }) => value !== '',
  )
}
