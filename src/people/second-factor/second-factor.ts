/** The second factor of a user, which signing in with the password requires. */
export type SecondFactor = {
  /** When one-time codes were turned on; null if they are off. */
  codesSince: Date | null
  /** Recovery codes that are still unused. */
  recoveryCodes: number
  passkeys: Passkey[]
}

export type Passkey = { id: number; name: string; createdAt: Date; lastUsedAt: Date | null }

/** The number of minutes in which a new factor must be confirmed. */
export const SETUP_MINUTES = 15
