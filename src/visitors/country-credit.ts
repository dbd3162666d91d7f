/** The attribution to show with country statistics. */
export type Credit = { text: string; href: string }

/** The bundled table is based on RIR data, licensed by the NRO. */
export const BUNDLED_CREDIT: Credit = {
  text: 'Country data: NRO (nro.net), CC BY 4.0',
  href: 'https://www.nro.net',
}

/** Attributions by the type in the table's metadata. Their wording is required by the licenses. */
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

/** Returns the attribution that the license of a table requires, or undefined for other tables. */
export function findCredit(databaseType: string): Credit | undefined {
  return CREDITS.find(([type]) => type.test(databaseType))?.[1]
}
