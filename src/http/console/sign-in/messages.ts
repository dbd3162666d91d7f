import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for signing in and setting a new password. */
export const signInMessages = consoleMessages({
  en: {
    title: 'Sign in',
    button: 'Sign in',
    forgot: 'Forgot password?',
    askAdmin: 'Forgot your password? Ask your admin for a reset link.',
    noAccount: 'No account yet?',
    register: 'Create an account',
    formExpired: 'This form has expired. Please try again.',
    wrong: 'Incorrect email or password.',
    tooMany: 'Too many attempts. Try again in a minute.',
    linkInvalid: "This link doesn't work",
    reset: {
      title: 'Set a new password',
      intro: (email: string) =>
        `For ${email}. You'll be signed in here and signed out everywhere else.`,
      newPassword: 'New password',
      button: 'Set password',
    },
  },
  de: {
    title: 'Anmelden',
    button: 'Anmelden',
    forgot: 'Passwort vergessen?',
    askAdmin: 'Passwort vergessen? Bitten Sie Ihren Administrator um einen Link zum Zurücksetzen.',
    noAccount: 'Noch kein Konto?',
    register: 'Konto erstellen',
    formExpired: 'Dieses Formular ist abgelaufen. Bitte versuchen Sie es noch einmal.',
    wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
    tooMany: 'Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.',
    linkInvalid: 'Dieser Link funktioniert nicht',
    reset: {
      title: 'Neues Passwort festlegen',
      intro: (email) => `Für ${email}. Sie werden hier angemeldet und überall sonst abgemeldet.`,
      newPassword: 'Neues Passwort',
      button: 'Passwort festlegen',
    },
  },
})
