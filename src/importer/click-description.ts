import { createDescribeClick, type DescribeClick } from '../clicks/import.ts'
import { memo } from '../concurrency/memo.ts'
import type { CountryLookup } from '../visitors/country.ts'
import { getCountryName } from '../visitors/country-names.ts'
import { isCrawler } from '../visitors/crawler.ts'
import { findPreferredLanguage } from '../visitors/language.ts'
import { findSocialNetwork, parseReferrerHost, toReferrerLabel } from '../visitors/referrer.ts'
import { parseUserAgent } from '../visitors/user-agent.ts'
import { createVisitorHash } from '../visitors/visitor-hash.ts'

/**
 * Creates the function that describes a click. `visitorKey` is the key with which visitors are
 * hashed.
 */
export function createClickDescription(
  visitorKey: Buffer,
  country: Pick<CountryLookup, 'lookup'>,
): DescribeClick {
  const getCachedName = memo(getCountryName)
  return createDescribeClick({
    visitorHash: createVisitorHash(visitorKey),
    countryLabel: (address, code) => getCachedName(code ?? country.lookup(address) ?? ''),
    parseUserAgent,
    isCrawler,
    referrerHost: parseReferrerHost,
    referrerLabel: toReferrerLabel,
    socialNetwork: findSocialNetwork,
    preferredLanguage: findPreferredLanguage,
  })
}
