import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for password recovery by email. */
export const forgotPasswordMessages = consoleMessages({
  en: {
    title: 'Forgot password',
    intro: "Enter your email, and we'll send you a link to set a new password.",
    button: 'Send reset link',
    signIn: 'Sign in',
    sentTitle: 'Check your email',
    sent: "If there's an account for that address, we've sent a link to set a new password. It works for one hour.",
    sentHint:
      'Nothing after a few minutes? Check your spam folder and the address, then try again.',
    back: 'Back to sign-in',
  },
  de: {
    title: 'Passwort vergessen',
    intro:
      'Geben Sie Ihre E-Mail-Adresse ein. Sie erhalten einen Link, um ein neues Passwort festzulegen.',
    button: 'Link senden',
    signIn: 'Anmelden',
    sentTitle: 'E-Mail unterwegs',
    sent: 'Falls es zu dieser Adresse ein Konto gibt, haben wir einen Link für ein neues Passwort gesendet. Er gilt eine Stunde.',
    sentHint:
      'Nach ein paar Minuten nichts da? Prüfen Sie den Spam-Ordner und die Adresse und versuchen Sie es noch einmal.',
    back: 'Zurück zur Anmeldung',
  },
})
