/** Texts of the user's settings. */
export const settingsMessages = {
  title: 'Settings',
  intro: 'For you alone, in all accounts.',
  language: 'Language',
  languageHint: 'For the console and mails.',
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
} as const
