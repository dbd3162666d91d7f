import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import type { Account } from './account.ts'
import { DECOY_HASH } from './argon.ts'
import type { CountedHit, HitLimits } from './hit-limits.ts'
import type { Passwords } from './password.ts'
import { countHit, DAILY, DAY_SECONDS, hasHits } from './rate-window.queries.ts'
import {
  deleteOwnSession,
  deleteSession,
  deleteSessionsOf,
  findCredentials,
  findPasswordHash,
  findSession,
  insertSession,
  listSessions,
  touchSession,
  trimSessions,
} from './session.queries.ts'
import {
  generateToken,
  hashToken,
  isWellFormedToken,
  type ListedSession,
  type Session,
  USE_EVERY,
} from './session.ts'

export type Sessions = ReturnType<typeof createSessions>

/** Where a session begins. */
export type Origin = {
  address: string
  /** What the session is to be known by. */
  browser?: string | undefined
}

export type SignIn = Origin & { email: string; password: string }

/** An attempt that is over a limit, or one that may turn out to be right and then does not count. */
type Attempt =
  | { retryAfter: number; recordSuccess?: undefined }
  | { retryAfter?: undefined; recordSuccess: () => Promise<void> }

export type SignInResult =
  | { token: string; account: Account; rejection?: undefined }
  | { rejection: 'wrong' | 'account_suspended' | 'rate_limited'; retryAfter?: number }

type Dependencies = {
  db: Db
  hits: HitLimits
  hashAddress: (address: string) => string
  passwords: Pick<Passwords, 'matches'>
  clock: Clock
  /** Attempts in a minute, from one address and at one account; of the latter one address has half. */
  tries?: number
  /** Changes that a signed-in account may make in a minute. */
  changes?: number
  /** Previews, which a page asks for while somebody types. */
  previews?: number
}

/** Who is signed in to the console, and how one comes to be. */
export function createSessions({
  db,
  hits,
  hashAddress,
  passwords,
  clock,
  tries = 10,
  changes = 120,
  previews = 300,
}: Dependencies) {
  /**
   * Counts an attempt of the address and one at the account, whether there is such an account or not.
   * Returns the seconds to wait, or what to do if the password turns out to be right.
   */
  async function countAttempt(email: string, address: string): Promise<Attempt> {
    const { fromAddress, atAccount, fromAddressAtAccount, known } = rateLimitKeys(email, address)
    const counted: CountedHit[] = []
    const recordSuccess = async () => {
      await countHit(db, known, DAY_SECONDS)
      for (const { takeBack } of counted) await takeBack()
    }
    // An address that is over its limit does not use up that of the account as well.
    for (const [key, most] of [
      [fromAddress, tries],
      [fromAddressAtAccount, tries / 2],
      [atAccount, tries],
    ] as const) {
      // Guesses from elsewhere do not keep out whoever was right from here lately.
      if (key === atAccount && (await hasHits(db, known, DAY_SECONDS))) break
      const hit = await hits.attempt(key, most)
      if (hit.retryAfter !== undefined) return hit
      counted.push(hit)
    }
    return { recordSuccess }
  }

  /** What attempts are counted by, and where an address is noted that was right. */
  function rateLimitKeys(email: string, address: string) {
    const from = hashAddress(address)
    const name = createHash('sha256').update(email.toLowerCase()).digest('base64url')
    const atAccount = `sign-in-as:${name}`
    const fromAddressAtAccount = `${atAccount}:${from}`
    return {
      ...{ fromAddress: `sign-in:${from}`, atAccount, fromAddressAtAccount },
      known: `${DAILY}${fromAddressAtAccount}`,
    }
  }

  /** The token of a new session; none if the password is no longer the one that was checked. */
  async function begin(
    accountId: number,
    { passwordHash, browser }: { passwordHash?: string; browser?: string | undefined },
  ): Promise<string | undefined> {
    const token = generateToken()
    const now = clock()
    return inTransaction(db, async (tx) => {
      const hash = hashToken(token)
      const begun = await insertSession(tx, { accountId, hash, now, passwordHash, browser })
      if (begun) await trimSessions(tx, accountId, now)
      return begun ? token : undefined
    })
  }

  return {
    /**
     * Signs in with an e-mail address and a password. Which of the two was wrong is told neither by the
     * answer nor by its time.
     *
     * @throws AppError `busy`, `database_unavailable`
     */
    async signIn({ email, password, address, browser }: SignIn): Promise<SignInResult> {
      const name = email.trim()
      const { retryAfter, recordSuccess } = await countAttempt(name, address)
      if (retryAfter !== undefined) return { rejection: 'rate_limited', retryAfter }
      // Text that PostgreSQL cannot hold names nobody.
      const storable = !name.includes('\0') && name.isWellFormed()
      const found = storable ? await findCredentials(db, name) : undefined
      const matches = await passwords.matches(
        hashAddress(address),
        found?.passwordHash ?? DECOY_HASH,
        password,
      )
      if (!found || !matches) return { rejection: 'wrong' }
      await recordSuccess()
      const { account, passwordHash } = found
      if (account.suspended) return { rejection: 'account_suspended' }
      const token = await begin(account.id, { passwordHash, browser })
      return token === undefined ? { rejection: 'wrong' } : { token, account }
    },

    /**
     * Signs in the owner of an account who has just set its password, and returns the session's token.
     * Guesses at the account from elsewhere do not keep this address out from now on.
     */
    async beginTrusted({ id, email }: Account, { address, browser }: Origin): Promise<string> {
      await countHit(db, rateLimitKeys(email, address).known, DAY_SECONDS)
      return this.begin(id, browser)
    },

    /** Signs in an account that has just been made, and gives the session's token. */
    async begin(accountId: number, browser?: string): Promise<string> {
      const token = await begin(accountId, { browser })
      if (token === undefined) throw new AppError('not_found')
      return token
    },

    /** Whose browser holds `token`; nobody's when the session has ended or the account is suspended. */
    async find(token: string): Promise<Session | undefined> {
      if (!isWellFormedToken(token)) return undefined
      const now = clock()
      const found = await findSession(db, hashToken(token), now)
      if (!found) return undefined
      const { lastUsedAt, ...session } = found
      if (Math.abs(now.getTime() - lastUsedAt.getTime()) > USE_EVERY) {
        await touchSession(db, session.id, now)
      }
      return session
    },

    /** Ends the session of `token`, if there is one. */
    async end(token: string): Promise<void> {
      if (isWellFormedToken(token)) await deleteSession(db, hashToken(token))
    },

    /**
     * Checks the password of the signed-in user again. Counts like a sign-in, since somebody else may be at
     * the browser.
     *
     * @throws AppError `invalid_input` naming `currentPassword`, `rate_limited`, `busy`
     */
    async confirm(
      { id, email }: Account,
      { password, address }: Pick<SignIn, 'password' | 'address'>,
    ): Promise<void> {
      const { retryAfter, recordSuccess } = await countAttempt(email, address)
      if (retryAfter !== undefined) throw new AppError('rate_limited', undefined, { retryAfter })
      const hash = (await findPasswordHash(db, id)) ?? DECOY_HASH
      if (!(await passwords.matches(hashAddress(address), hash, password))) {
        throw invalid('currentPassword', 'is not the password of this account')
      }
      await recordSuccess()
    },

    /** The account's sessions that have not ended, the last used first. */
    list: (accountId: number): Promise<ListedSession[]> => listSessions(db, accountId, clock()),

    /** Ends one session of the account; one that has ended, or is another's, is none. */
    endOne: (accountId: number, id: number): Promise<void> => deleteOwnSession(db, accountId, id),

    /** Ends all sessions of the account but the one that stays. */
    endOthers: (accountId: number, stays: number): Promise<void> =>
      deleteSessionsOf(db, accountId, stays),

    /** Counts a change that an account makes; gives the seconds to wait if these were too many. */
    countChange: (accountId: number): Promise<number | undefined> =>
      hits.count(`console:${accountId}`, changes),

    /** The same for a preview, which changes nothing. */
    countPreview: (accountId: number): Promise<number | undefined> =>
      hits.count(`preview:${accountId}`, previews),
  }
}
