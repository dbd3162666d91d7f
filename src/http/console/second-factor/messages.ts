import { consoleMessages } from '../../localization/console-messages.ts'
import { pluralize } from '../shell/plural.ts'

/** Messages for two-factor authentication: its settings, and the second step of signing in. */
export const secondFactorMessages = consoleMessages({
  en: {
    title: 'Two-factor authentication',
    summary: 'Ask for a code or a passkey after your password.',
    manage: 'Manage',
    account: 'Account',
    intro:
      'After your password, Brevis asks for a code or a passkey. Adding your first code or passkey signs out all other browsers.',
    providerHint: 'Signing in with your provider does not ask for them.',
    on: 'On',
    off: 'Off',
    proof: 'Your password or a code',
    password: 'Your password',

    codes: 'Authenticator app',
    codesHint: 'An app on your phone shows a new code every 30 seconds.',
    codesSince: (since: string) => `On since ${since}.`,
    setUp: 'Set up',
    turnOff: 'Turn off authenticator app',
    turnOffHint: 'All other browsers are signed out.',

    setupTitle: 'Set up your authenticator app',
    scan: 'Scan this QR code with your app, or enter the key.',
    qrCode: 'QR code for your authenticator app',
    key: 'Key',
    confirmHint: 'The six digits that the app shows.',
    code: 'Code',
    turnOn: 'Turn on',
    cancel: 'Cancel',

    passkeys: 'Passkeys',
    passkeysHint:
      'Your device, password manager or security key. A passkey also signs in without your password.',
    passkeysUnavailable: 'Passkeys need a BASE_URL with https and a host name.',
    columns: { name: 'Name', created: 'Created', lastUsed: 'Last used', actions: 'Actions' },
    never: 'Never',
    remove: 'Remove',
    removePasskey: 'Remove passkey',
    passkeyName: 'Name',
    passkeyNameHint: 'So that you recognize it, such as “Work laptop”.',
    addPasskey: 'Add passkey',
    createTitle: 'Create a passkey',
    createHint: 'Your browser asks where to keep it.',
    createPasskey: 'Create passkey',
    needsScripts: 'Passkeys need JavaScript.',
    passkeyErrors: {
      unsupported: 'This browser doesn’t support passkeys.',
      cancelled: 'That didn’t work. Try again.',
      known: 'This device already has a passkey for your account.',
    },
    passkeyRefused: 'This passkey was not accepted. Try again.',
    passkeyKnown: 'This passkey is registered already.',

    recoveryCodes: 'Recovery codes',
    recoveryHint: 'Each one replaces a code once, for example if you lose your phone.',
    left: (count: number) =>
      count === 0
        ? 'No recovery codes left.'
        : pluralize(count, { one: '{n} recovery code left.', other: '{n} recovery codes left.' }),
    renew: 'Create new recovery codes',
    renewHint: 'The old ones stop working.',
    newCodesTitle: 'Your recovery codes',
    newCodesHint:
      "Save these codes where you can find them without your phone. You won't be able to see them again.",
    done: 'Done',
    copy: 'Copy',

    verifyTitle: 'Enter your code',
    signingIn: (email: string) => `Signing in as ${email}.`,
    verifyHint: 'From your authenticator app, or a recovery code.',
    recoveryCode: 'Recovery code',
    passkeyTitle: 'Use your passkey',
    passkeyButton: 'Use passkey',
    signInWithPasskey: 'Use a passkey',
    verify: 'Sign in',
    otherUser: 'Sign in as someone else',
    expiredTitle: 'Sign in again',
    expired: 'This sign-in has expired.',
    signIn: 'Sign in',
    tooManyAttempts: 'Too many attempts. Try again in a minute.',
    tooManyToday: 'Too many wrong codes today. Use a recovery code, or try again tomorrow.',

    confirmations: {
      on: 'Authenticator app turned on.',
      passkey: 'Passkey added.',
      removed: 'Passkey removed. All other browsers are signed out.',
      off: 'Authenticator app turned off. All other browsers are signed out.',
    },
  },
  de: {
    title: 'Zwei-Faktor-Authentifizierung',
    summary: 'Nach dem Passwort einen Code oder Passkey verlangen.',
    manage: 'Verwalten',
    account: 'Konto',
    intro:
      'Nach dem Passwort verlangt Brevis einen Code oder Passkey. Der erste Code oder Passkey meldet alle anderen Browser ab.',
    providerHint: 'Bei der Anmeldung über Ihren Anmeldedienst werden sie nicht verlangt.',
    on: 'An',
    off: 'Aus',
    proof: 'Ihr Passwort oder ein Code',
    password: 'Ihr Passwort',

    codes: 'Authenticator-App',
    codesHint: 'Eine App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen Code.',
    codesSince: (since) => `Aktiv seit ${since}.`,
    setUp: 'Einrichten',
    turnOff: 'Authenticator-App deaktivieren',
    turnOffHint: 'Alle anderen Browser werden abgemeldet.',

    setupTitle: 'Authenticator-App einrichten',
    scan: 'Scannen Sie diesen QR-Code mit Ihrer App oder geben Sie den Schlüssel ein.',
    qrCode: 'QR-Code für Ihre Authenticator-App',
    key: 'Schlüssel',
    confirmHint: 'Die sechs Ziffern, die die App anzeigt.',
    code: 'Code',
    turnOn: 'Aktivieren',
    cancel: 'Abbrechen',

    passkeys: 'Passkeys',
    passkeysHint:
      'Ihr Gerät, Passwortmanager oder Sicherheitsschlüssel. Ein Passkey meldet auch ohne Passwort an.',
    passkeysUnavailable: 'Passkeys erfordern eine BASE_URL mit https und einem Hostnamen.',
    columns: {
      name: 'Name',
      created: 'Erstellt',
      lastUsed: 'Zuletzt verwendet',
      actions: 'Aktionen',
    },
    never: 'Nie',
    remove: 'Entfernen',
    removePasskey: 'Passkey entfernen',
    passkeyName: 'Name',
    passkeyNameHint: 'Zum Wiedererkennen, etwa „Arbeitslaptop“.',
    addPasskey: 'Passkey hinzufügen',
    createTitle: 'Passkey erstellen',
    createHint: 'Ihr Browser fragt, wo er gespeichert werden soll.',
    createPasskey: 'Passkey erstellen',
    needsScripts: 'Passkeys erfordern JavaScript.',
    passkeyErrors: {
      unsupported: 'Dieser Browser unterstützt keine Passkeys.',
      cancelled: 'Das hat nicht geklappt. Versuchen Sie es noch einmal.',
      known: 'Dieses Gerät hat bereits einen Passkey für Ihr Konto.',
    },
    passkeyRefused: 'Dieser Passkey wurde nicht akzeptiert. Versuchen Sie es noch einmal.',
    passkeyKnown: 'Dieser Passkey ist bereits registriert.',

    recoveryCodes: 'Wiederherstellungscodes',
    recoveryHint: 'Jeder ersetzt einmal einen Code, etwa wenn Sie Ihr Telefon verlieren.',
    left: (count) =>
      count === 0
        ? 'Keine Wiederherstellungscodes übrig.'
        : pluralize(count, {
            one: 'Noch {n} Wiederherstellungscode.',
            other: 'Noch {n} Wiederherstellungscodes.',
          }),
    renew: 'Neue Wiederherstellungscodes erstellen',
    renewHint: 'Die alten funktionieren dann nicht mehr.',
    newCodesTitle: 'Ihre Wiederherstellungscodes',
    newCodesHint:
      'Bewahren Sie diese Codes dort auf, wo Sie sie ohne Ihr Telefon finden. Sie werden nicht noch einmal angezeigt.',
    done: 'Fertig',
    copy: 'Kopieren',

    verifyTitle: 'Code eingeben',
    signingIn: (email) => `Anmeldung als ${email}.`,
    verifyHint: 'Aus Ihrer Authenticator-App, oder ein Wiederherstellungscode.',
    recoveryCode: 'Wiederherstellungscode',
    passkeyTitle: 'Passkey verwenden',
    passkeyButton: 'Passkey verwenden',
    signInWithPasskey: 'Passkey verwenden',
    verify: 'Anmelden',
    otherUser: 'Als jemand anderes anmelden',
    expiredTitle: 'Erneut anmelden',
    expired: 'Diese Anmeldung ist abgelaufen.',
    signIn: 'Anmelden',
    tooManyAttempts: 'Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.',
    tooManyToday:
      'Heute zu viele falsche Codes. Verwenden Sie einen Wiederherstellungscode oder versuchen Sie es morgen noch einmal.',

    confirmations: {
      on: 'Authenticator-App aktiviert.',
      passkey: 'Passkey hinzugefügt.',
      removed: 'Passkey entfernt. Alle anderen Browser sind abgemeldet.',
      off: 'Authenticator-App deaktiviert. Alle anderen Browser sind abgemeldet.',
    },
  },
})
