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
