import { createDescribeClick } from '../clicks/import/describe.ts'
import { createImporter, type Importer, type ImporterOptions } from '../clicks/import/importer.ts'
import { memo } from '../concurrency/memo.ts'
import type { CountryLookup } from '../visitors/country.ts'
import { countryName } from '../visitors/country-names.ts'
import { isCrawler } from '../visitors/crawler.ts'
import { preferredLanguage } from '../visitors/language.ts'
import { referrerHost, referrerLabel, socialNetwork } from '../visitors/referrer.ts'
import { parseUserAgent } from '../visitors/user-agent.ts'
import { createVisitorHash } from '../visitors/visitor-hash.ts'
import { noteClicks } from '../webhooks/click-news.ts'

type Options = Omit<ImporterOptions, 'describe' | 'note'> & {
  /** The key of the hashes that stand for visitors. */
  visitorKey: Buffer
  country: Pick<CountryLookup, 'lookup'>
}

/** The importer of clicks, with everything that tells what a click was. */
export function createClickImporter({ visitorKey, country, ...options }: Options): Importer {
  const nameOf = memo(countryName)
  return createImporter({
    ...options,
    note: noteClicks,
    describe: createDescribeClick({
      visitorHash: createVisitorHash(visitorKey),
      countryLabel: (address) => nameOf(country.lookup(address) ?? ''),
      parseUserAgent,
      isCrawler,
      referrerHost,
      referrerLabel,
      socialNetwork,
      preferredLanguage,
    }),
  })
}
