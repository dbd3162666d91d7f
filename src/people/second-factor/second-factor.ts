/** What a user is asked for after the password. */
export type SecondFactor = {
  /** When one-time codes were turned on; null if they are off. */
  codesSince: Date | null
  /** Recovery codes that are still unused. */
  recoveryCodes: number
  passkeys: Passkey[]
}

export type Passkey = { id: number; name: string; createdAt: Date; lastUsedAt: Date | null }

/** Minutes in which a factor has to be confirmed that somebody is setting up. */
export const SETUP_MINUTES = 15
