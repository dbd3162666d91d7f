/** The parameters that analytics programs read, in the order of the form. */
export const UTM_NAMES = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const
export type UtmName = (typeof UTM_NAMES)[number]
export type UtmValues = Partial<Record<UtmName, string>>

/** UTM parameters under a name, for further links of an account. */
export type UtmTemplate = { id: number; name: string; values: UtmValues }
