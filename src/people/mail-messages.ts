import type { Role } from './user.ts'
import type { UserLanguage } from './user-settings.ts'

type Texts = { subject: string; text: string }

type MailMessages = {
  reset: (mail: { host: string; url: string }) => Texts
  invitation: (mail: { account: string; role: Role; host: string; url: string }) => Texts
  welcome: (mail: { account: string; host: string; url: string }) => Texts
}

/** The German names of the roles. */
const roles: Readonly<Record<Role, string>> = {
  owner: 'Inhaber',
  editor: 'Bearbeiter',
  viewer: 'Betrachter',
}

/** Messages for emails about signing in, by the recipient's language. */
export const mailMessages: Readonly<Record<UserLanguage, MailMessages>> = {
  en: {
    reset: ({ host, url }) => ({
      subject: `Reset your password for ${host}`,
      text: `Someone asked to reset the password of your account at ${host}.

To set a new password, open this link within an hour:
${url}

If you didn't ask for this, ignore this email. Your password stays the same.
`,
    }),
    invitation: ({ account, role, host, url }) => ({
      subject: `You're invited to ${account} on ${host}`,
      text: `You've been invited to work in the account ${account} on ${host} as ${role}.

To accept, open this link within 7 days:
${url}

If you weren't expecting this, ignore this email.
`,
    }),
    welcome: ({ account, host, url }) => ({
      subject: `Your account on ${host}`,
      text: `An admin of ${host} added you to the account ${account}.

To set a password and sign in, open this link within 7 days:
${url}

If you weren't expecting this, ignore this email.
`,
    }),
  },
  de: {
    reset: ({ host, url }) => ({
      subject: `Passwort für ${host} zurücksetzen`,
      text: `Jemand möchte das Passwort Ihres Kontos auf ${host} zurücksetzen.

Öffnen Sie innerhalb einer Stunde diesen Link, um ein neues Passwort festzulegen:
${url}

Wenn die Anfrage nicht von Ihnen kommt, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.
`,
    }),
    invitation: ({ account, role, host, url }) => ({
      subject: `Einladung zu ${account} auf ${host}`,
      text: `Sie sind eingeladen, im Konto ${account} auf ${host} mitzuarbeiten. Ihre Rolle: ${roles[role]}.

Öffnen Sie innerhalb von 7 Tagen diesen Link, um die Einladung anzunehmen:
${url}

Wenn Sie diese Einladung nicht erwartet haben, ignorieren Sie diese E-Mail.
`,
    }),
    welcome: ({ account, host, url }) => ({
      subject: `Ihr Konto auf ${host}`,
      text: `Die Verwaltung von ${host} hat Sie zum Konto ${account} hinzugefügt.

Öffnen Sie innerhalb von 7 Tagen diesen Link, um ein Passwort festzulegen und sich anzumelden:
${url}

Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie.
`,
    }),
  },
}
