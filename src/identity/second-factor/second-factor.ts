/** The second factor of a user, which is required in addition to the password. */
export type SecondFactor = {
  /** When one-time codes were turned on, or null if they are off. */
  codesSince: Date | null
  /** The number of unused recovery codes. */
  recoveryCodes: number
  passkeys: Passkey[]
}

export type Passkey = { id: number; name: string; createdAt: Date; lastUsedAt: Date | null }

/** The number of minutes in which a new factor must be confirmed. */
export const SETUP_MINUTES = 15
