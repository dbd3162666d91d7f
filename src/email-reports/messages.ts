import type { UserLanguage } from '../people/user-settings.ts'
import type { Frequency } from './schedule.ts'

type ReportMessages = {
  titles: Record<Frequency, string>
  subject: (title: string, account: string, span: string) => string
  intro: (account: string, host: string, span: string) => string
  clicks: string
  newVisitors: string
  unchanged: string
  change: (percent: string, isMore: boolean) => string
  before: Record<Frequency, (count: string) => string>
  noClicks: string
  lists: { links: string; countries: string; referrers: string }
  open: string
  reason: string
  settings: string
  unsubscribe: string
}

/** Messages for reports, by the recipient's language. */
export const reportMessages: Record<UserLanguage, ReportMessages> = {
  en: {
    titles: { weekly: 'Weekly report', monthly: 'Monthly report' },
    subject: (title, account, span) => `${title} for ${account}: ${span}`,
    intro: (account, host, span) => `Clicks on the links of ${account} on ${host}, ${span}.`,
    clicks: 'Clicks',
    newVisitors: 'New visitors',
    unchanged: 'unchanged',
    change: (percent, isMore) => `${isMore ? '↑' : '↓'} ${percent}`,
    before: {
      weekly: (count) => `vs. ${count} the week before`,
      monthly: (count) => `vs. ${count} the month before`,
    },
    noClicks: 'No clicks in this period.',
    lists: { links: 'Top links', countries: 'Top countries', referrers: 'Top referrers' },
    open: 'Open analytics',
    reason: 'You get this report because you turned it on in your settings.',
    settings: 'Settings',
    unsubscribe: 'Unsubscribe',
  },
  de: {
    titles: { weekly: 'Wochenbericht', monthly: 'Monatsbericht' },
    subject: (title, account, span) => `${title} für ${account}: ${span}`,
    intro: (account, host, span) => `Klicks auf die Links von ${account} auf ${host}, ${span}.`,
    clicks: 'Klicks',
    newVisitors: 'Neue Besucher',
    unchanged: 'unverändert',
    change: (percent, isMore) => `${isMore ? '↑' : '↓'} ${percent}`,
    before: {
      weekly: (count) => `ggü. ${count} in der Vorwoche`,
      monthly: (count) => `ggü. ${count} im Vormonat`,
    },
    noClicks: 'Keine Klicks in diesem Zeitraum.',
    lists: { links: 'Top-Links', countries: 'Top-Länder', referrers: 'Top-Verweise' },
    open: 'Statistik öffnen',
    reason: 'Sie erhalten diesen Bericht, weil Sie ihn in Ihren Einstellungen aktiviert haben.',
    settings: 'Einstellungen',
    unsubscribe: 'Abbestellen',
  },
}
