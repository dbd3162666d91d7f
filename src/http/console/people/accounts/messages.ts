import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for the accounts that a user is a member of. */
export const accountsMessages = consoleMessages({
  en: {
    title: 'Your accounts',
    signedInAs: (email: string) => `You're signed in as ${email}.`,
    list: 'Accounts',
    account: 'Account',
    role: 'Your role',
    current: 'Current account',
    suspended: 'Suspended',
    switch: 'Switch',
    switchTo: (account: string) => `to ${account}`,
  },
  de: {
    title: 'Ihre Konten',
    signedInAs: (email) => `Sie sind als ${email} angemeldet.`,
    list: 'Konten',
    account: 'Konto',
    role: 'Ihre Rolle',
    current: 'Aktuelles Konto',
    suspended: 'Gesperrt',
    switch: 'Wechseln',
    switchTo: (account) => `zu ${account}`,
  },
})
