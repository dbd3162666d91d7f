import type { Static } from '@sinclair/typebox'
import type { LinkInput } from '../../links/link-input.ts'
import type { LinkCreate, LinkUpdate } from './link-schemas.ts'

/** What a client asks of a link, in the words of the domain. */
export function readLinkInput(
  body: Static<typeof LinkCreate> | Static<typeof LinkUpdate>,
): LinkInput {
  const { url, type, password, domain, parameters, pixels, tags } = body
  return {
    url,
    alias: body.custom,
    type,
    password,
    domain,
    expiresAt: body.expiry,
    geoTargets: body.geotarget,
    deviceTargets: body.devicetarget,
    languageTargets: body.languagetarget,
    parameters,
    metaTitle: body.metatitle,
    metaDescription: body.metadescription,
    metaImage: body.metaimage,
    pixels,
    tags,
  }
}
