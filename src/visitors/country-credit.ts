/** The line that has to be shown beside country statistics. */
export type Credit = { text: string; href: string }

/** The bundled table consists of data of the RIRs, which the NRO licenses. */
export const BUNDLED_CREDIT: Credit = {
  text: 'Country data: NRO (nro.net), CC BY 4.0',
  href: 'https://www.nro.net',
}

/** By the type that is named in the table's metadata. The words are those of the licenses. */
const CREDITS: readonly (readonly [RegExp, Credit])[] = [
  [/^DBIP-.*Lite/i, { text: 'IP Geolocation by DB-IP', href: 'https://db-ip.com' }],
  [
    /^GeoLite2-/i,
    {
      text: 'This product includes GeoLite2 data created by MaxMind, available from https://www.maxmind.com.',
      href: 'https://www.maxmind.com',
    },
  ],
]

/** Returns the credit that the license of a known free table requires. */
export function creditFor(databaseType: string): Credit | undefined {
  return CREDITS.find(([type]) => type.test(databaseType))?.[1]
}
