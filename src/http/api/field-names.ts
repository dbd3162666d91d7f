import type { FieldNames } from '../../errors.ts'

/** What this API calls the fields of the domain, where that differs. */
export const fieldNames = {
  alias: 'custom',
  expiresAt: 'expiry',
  geoTargets: 'geotarget',
  deviceTargets: 'devicetarget',
  languageTargets: 'languagetarget',
  metaTitle: 'metatitle',
  metaDescription: 'metadescription',
  metaImage: 'metaimage',
  redirectRoot: 'redirectroot',
} as const satisfies FieldNames
