import type { FieldNames } from '../../errors.ts'
import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'

/** This API's names of internal fields, if different. */
export const fieldNames: FieldNames = {
  ...Object.fromEntries(
    FIELD_NAMES.flatMap((name) => {
      const { legacy = name } = FIELDS[name]
      return legacy === name ? [] : [[name, legacy]]
    }),
  ),
  alias: 'custom_url',
  domain: 'base_domain',
}
