import { plural } from '../shell/plural.ts'

/** Texts of two-factor authentication: its settings, and the second step of signing in. */
export const secondFactorMessages = {
  title: 'Two-factor authentication',
  summary: 'Ask for a code after your password.',
  manage: 'Manage',
  account: 'Account',
  intro: 'After your password, Brevis asks for a code from an app on your phone.',
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
  verify: 'Sign in',
  otherUser: 'Sign in as someone else',
  expiredTitle: 'Sign in again',
  expired: 'This sign-in has expired.',
  signIn: 'Sign in',
  tooManyAttempts: 'Too many attempts. Try again in a minute.',
  tooManyToday: 'Too many wrong codes today. Use a recovery code, or try again tomorrow.',

  confirmations: {
    codesOn: 'Authenticator app turned on. All other browsers are signed out.',
    codesOff: 'Authenticator app turned off. All other browsers are signed out.',
  },
} as const
