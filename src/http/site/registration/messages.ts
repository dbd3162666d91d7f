import { consoleMessages } from '../../localization/console-messages.ts'

/** Texts of the registration form and of the page with the first API key. */
export const registrationMessages = consoleMessages({
  en: {
    title: 'Create an account',
    button: 'Create account',
    continueWith: (provider: string) => `Continue with ${provider}`,
    email: 'Email',
    username: 'Username',
    usernameHint: 'Used in your public URLs.',
    password: 'Password',
    passwordHint: 'At least 8 characters.',
    key: {
      welcome: (username: string) => `Welcome, ${username}`,
      title: 'Your API key',
      about:
        "Copy this key now. You won't be able to see it again. It has full access to your account, so keep it like your password.",
      copy: 'Copy key',
      copied: 'Copied.',
      copyFailed: 'The browser did not allow copying. Select the key and copy it.',
      console: 'Open the console',
      documentation: 'API documentation',
      try: 'Try it',
    },
  },
  de: {
    title: 'Konto erstellen',
    button: 'Konto erstellen',
    continueWith: (provider) => `Weiter mit ${provider}`,
    email: 'E-Mail-Adresse',
    username: 'Benutzername',
    usernameHint: 'Erscheint in Ihren öffentlichen URLs.',
    password: 'Passwort',
    passwordHint: 'Mindestens 8 Zeichen.',
    key: {
      welcome: (username) => `Willkommen, ${username}`,
      title: 'Ihr API-Schlüssel',
      about:
        'Kopieren Sie diesen Schlüssel jetzt, denn er wird nicht noch einmal angezeigt. Er hat vollen Zugriff auf Ihr Konto. Bewahren Sie ihn auf wie Ihr Passwort.',
      copy: 'Schlüssel kopieren',
      copied: 'Kopiert.',
      copyFailed:
        'Der Browser hat das Kopieren nicht erlaubt. Markieren Sie den Schlüssel und kopieren Sie ihn.',
      console: 'Konsole öffnen',
      documentation: 'API-Dokumentation',
      try: 'Ausprobieren',
    },
  },
})
