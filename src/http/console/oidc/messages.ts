import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for signing in with the identity provider. */
export const oidcMessages = consoleMessages({
  en: {
    continueWith: (name: string) => `Continue with ${name}`,
    acceptWith: (name: string) => `Accept with ${name}`,
    continueTo: (name: string) => `Continue to ${name}`,
    comeBack: 'You’ll come back here after signing in.',
    expired: 'This sign-in has expired. Please try again.',
    connect: {
      title: 'Sign-in provider',
      connected: (name: string) => `Connected to ${name}.`,
      text: (name: string) => `Connect ${name} to sign in with it.`,
      button: (name: string) => `Connect ${name}`,
      password: 'Your password',
      done: 'Your sign-in provider is connected.',
    },
  },
  de: {
    continueWith: (name) => `Weiter mit ${name}`,
    acceptWith: (name) => `Mit ${name} annehmen`,
    continueTo: (name) => `Weiter zu ${name}`,
    comeBack: 'Nach der Anmeldung kommen Sie hierher zurück.',
    expired: 'Diese Anmeldung ist abgelaufen. Bitte versuchen Sie es noch einmal.',
    connect: {
      title: 'Anmeldedienst',
      connected: (name) => `Mit ${name} verbunden.`,
      text: (name) => `${name} verbinden, um sich damit anzumelden.`,
      button: (name) => `${name} verbinden`,
      password: 'Ihr Passwort',
      done: 'Ihr Anmeldedienst ist verbunden.',
    },
  },
})
