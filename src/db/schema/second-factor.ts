import type { Generated } from 'kysely'

export type OneTimeCodeTable = {
  user_id: number
  secret: Buffer
  last_step: number
  created_at: Date
}

export type RecoveryCodeTable = { user_id: number; hash: Buffer }

export type PasskeyTable = {
  id: Generated<number>
  user_id: number
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  name: string
  created_at: Date
  last_used_at: Date | null
}

export type FactorSetupTable = {
  session_id: number
  kind: 'codes' | 'passkey'
  secret: Buffer
  name: string | null
  expires_at: Date
}

export type PendingSignInTable = {
  hash: Buffer
  user_id: number | null
  account_id: number | null
  password_hash: string | null
  invitation_hash: Buffer | null
  challenge: Buffer | null
  expires_at: Date
}
