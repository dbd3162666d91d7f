/** Texts of signing in with the identity provider. */
export const oidcMessages = {
  continueWith: (name: string) => `Continue with ${name}`,
  acceptWith: (name: string) => `Accept with ${name}`,
  going: (name: string) => `Continue to ${name}`,
  goingText: 'You’ll come back here after signing in.',
  expired: 'This sign-in has expired. Please try again.',
  connect: {
    title: 'Sign-in provider',
    connected: (name: string) => `Connected to ${name}.`,
    text: (name: string) => `Connect ${name} to sign in with it.`,
    button: (name: string) => `Connect ${name}`,
    password: 'Your password',
    done: 'Your sign-in provider is connected.',
  },
} as const
