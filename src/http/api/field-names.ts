import type { FieldNames } from '../../errors.ts'

/** What this API calls the fields of the domain, where that differs. */
export const fieldNames = {
  alias: 'custom',
  expiresAt: 'expiry',
  geoTargets: 'geotarget',
  deviceTargets: 'devicetarget',
  languageTargets: 'languagetarget',
  'meta.title': 'metatitle',
  'meta.description': 'metadescription',
  'meta.image': 'metaimage',
  redirectRoot: 'redirectroot',
} as const satisfies FieldNames
