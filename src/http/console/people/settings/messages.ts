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
} as const
