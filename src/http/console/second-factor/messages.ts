import { plural } from '../shell/plural.ts'

/** Texts of two-factor authentication: its settings, and the second step of signing in. */
export const secondFactorMessages = {
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
      : plural(count, { one: '{n} recovery code left.', other: '{n} recovery codes left.' }),
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
    codesOn: 'Authenticator app turned on.',
    passkeyAdded: 'Passkey added.',
    passkeyRemoved: 'Passkey removed. All other browsers are signed out.',
    codesOff: 'Authenticator app turned off. All other browsers are signed out.',
  },
} as const
