import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for the user's settings. */
export const settingsMessages = consoleMessages({
  en: {
    title: 'Settings',
    intro: 'For you alone, in all accounts.',
    language: 'Language',
    languageHint: 'For the console and emails.',
    timeZone: 'Time zone',
    timeZoneHint: (now: string) => `Type to search. It is now ${now} there.`,
    save: 'Save',
    useBrowserZone: 'Use this browser’s time zone',
    reports: {
      title: 'Email reports',
      label: (account: string) => `Report on the clicks of ${account}`,
      hint: 'On Mondays or on the 1st, at 7:00 in your time zone.',
      choices: { off: 'Off', weekly: 'Weekly', monthly: 'Monthly' },
      save: 'Save reports',
    },
  },
  de: {
    title: 'Einstellungen',
    intro: 'Nur für Sie, in allen Konten.',
    language: 'Sprache',
    languageHint: 'Für die Konsole und E-Mails.',
    timeZone: 'Zeitzone',
    timeZoneHint: (now) => `Zum Suchen tippen. Dort ist es jetzt ${now}.`,
    save: 'Speichern',
    useBrowserZone: 'Zeitzone dieses Browsers verwenden',
    reports: {
      title: 'E-Mail-Berichte',
      label: (account) => `Bericht über die Klicks von ${account}`,
      hint: 'Montags oder am 1. des Monats, um 7:00 Uhr in Ihrer Zeitzone.',
      choices: { off: 'Aus', weekly: 'Wöchentlich', monthly: 'Monatlich' },
      save: 'Berichte speichern',
    },
  },
})
