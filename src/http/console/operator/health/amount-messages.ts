import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for amounts on the health page. */
export const amountMessages = consoleMessages({
  en: {
    unknown: 'Unknown',
    bytes: { one: '{n} byte', other: '{n} bytes' },
    days: { one: '{n} day', other: '{n} days' },
    noLookups: 'No lookups yet',
    rate: (percent: string, lookups: string) => `${percent} (${lookups} lookups)`,
  },
  de: {
    unknown: 'Unbekannt',
    bytes: { one: '{n} Byte', other: '{n} Byte' },
    days: { one: '{n} Tag', other: '{n} Tage' },
    noLookups: 'Noch keine Zugriffe',
    rate: (percent, lookups) => `${percent} (${lookups} Zugriffe)`,
  },
})
