import { consoleMessages } from '../../localization/console-messages.ts'

/**
 * Messages for the page of the user's account: email, password, sessions, export, leaving and
 * deletion.
 */
export const accountMessages = consoleMessages({
  en: {
    title: 'Account',
    done: {
      email: 'Email updated.',
      password: 'Password updated. All other browsers are signed out.',
      nothing: 'No changes to save.',
    },
    export: {
      title: 'Export',
      text: 'Download all links. JSONL includes daily statistics; CSV is for spreadsheets.',
      jsonl: 'Export as JSONL',
      csv: 'Export as CSV',
    },
    storage: {
      title: 'Storage',
      used: (bytes: string) => `${bytes} used.`,
      limited: (bytes: string, limit: string) => `${bytes} of ${limit} used.`,
      text: 'Links with their history, pages, codes, images and responses to overlays.',
    },
    leave: {
      title: (account: string) => `Leave ${account}`,
      text: 'You lose access to this account. Its links stay.',
      button: 'Leave account',
    },
    deleteUser: {
      title: 'Delete your user',
      text: 'You lose access to all accounts. Their links stay.',
      button: 'Delete user',
    },
    email: { hint: 'Used to sign in.', button: 'Save' },
    password: {
      current: 'Current password',
      new: 'New password',
      hint: '8 to 200 characters. All other browsers are signed out.',
      button: 'Change password',
    },
    sessions: {
      title: 'Active sessions',
      browser: 'Browser',
      signedIn: 'Signed in',
      lastUsed: 'Last used',
      signOutOthers: 'Sign out all other sessions',
      unknown: 'Unknown browser',
      current: 'This browser',
      signOut: 'Sign out',
      session: (browser: string, lastUsed: string) => `${browser}, last used ${lastUsed}`,
    },
    deletion: {
      title: 'Delete this account',
      text: 'This permanently deletes its links, statistics, QR codes, pages, domains and API keys.',
      note: 'Shared short links stop working.',
      summary: 'Delete account …',
      username: 'Username',
      usernameHint: (username: string) => `Type ${username} to confirm.`,
      password: 'Password to confirm',
      button: 'Delete account',
    },
    deleted: {
      title: 'Account deleted',
      heading: 'Your account is deleted',
      text: 'Your links no longer work. Remaining data is deleted within minutes.',
      home: 'Go to the home page',
    },
  },
  de: {
    title: 'Konto',
    done: {
      email: 'E-Mail-Adresse geändert.',
      password: 'Passwort geändert. Alle anderen Browser sind abgemeldet.',
      nothing: 'Keine Änderungen.',
    },
    export: {
      title: 'Export',
      text: 'Alle Links herunterladen. JSONL enthält die Statistik pro Tag, CSV ist für Tabellen.',
      jsonl: 'Als JSONL exportieren',
      csv: 'Als CSV exportieren',
    },
    storage: {
      title: 'Speicherplatz',
      used: (bytes) => `${bytes} belegt.`,
      limited: (bytes, limit) => `${bytes} von ${limit} belegt.`,
      text: 'Links mit ihrem Verlauf, Seiten, Codes, Bilder und Antworten auf Overlays.',
    },
    leave: {
      title: (account) => `${account} verlassen`,
      text: 'Sie verlieren den Zugriff auf dieses Konto. Seine Links bleiben erhalten.',
      button: 'Konto verlassen',
    },
    deleteUser: {
      title: 'Benutzer löschen',
      text: 'Sie verlieren den Zugriff auf alle Konten. Deren Links bleiben erhalten.',
      button: 'Benutzer löschen',
    },
    email: { hint: 'Zum Anmelden.', button: 'Speichern' },
    password: {
      current: 'Aktuelles Passwort',
      new: 'Neues Passwort',
      hint: '8 bis 200 Zeichen. Alle anderen Browser werden abgemeldet.',
      button: 'Passwort ändern',
    },
    sessions: {
      title: 'Aktive Sitzungen',
      browser: 'Browser',
      signedIn: 'Angemeldet',
      lastUsed: 'Zuletzt verwendet',
      signOutOthers: 'Alle anderen Sitzungen abmelden',
      unknown: 'Unbekannter Browser',
      current: 'Dieser Browser',
      signOut: 'Abmelden',
      session: (browser, lastUsed) => `${browser}, zuletzt verwendet ${lastUsed}`,
    },
    deletion: {
      title: 'Dieses Konto löschen',
      text: 'Links, Statistik, QR-Codes, Seiten, Domains und API-Schlüssel des Kontos werden endgültig gelöscht.',
      note: 'Geteilte Kurzlinks funktionieren dann nicht mehr.',
      summary: 'Konto löschen …',
      username: 'Benutzername',
      usernameHint: (username) => `Zur Bestätigung ${username} eingeben.`,
      password: 'Passwort zur Bestätigung',
      button: 'Konto löschen',
    },
    deleted: {
      title: 'Konto gelöscht',
      heading: 'Ihr Konto ist gelöscht',
      text: 'Ihre Links funktionieren nicht mehr. Die übrigen Daten werden in wenigen Minuten gelöscht.',
      home: 'Zur Startseite',
    },
  },
})
