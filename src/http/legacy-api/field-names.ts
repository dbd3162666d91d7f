import type { FieldNames } from '../../errors.ts'
import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'

/** The legacy API's names of fields that have a different name internally. */
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
