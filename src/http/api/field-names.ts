import type { FieldNames } from '../../errors.ts'
import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'

/** The API names of fields that have a different name internally. */
export const fieldNames: FieldNames = {
  ...Object.fromEntries(
    FIELD_NAMES.filter((name) => FIELDS[name].api !== name).map((name) => [name, FIELDS[name].api]),
  ),
  alias: 'custom',
  redirectRoot: 'redirectroot',
  assetLinks: 'assetlinks',
  appSiteAssociation: 'appsiteassociation',
}
