import { createHash } from 'node:crypto'
import { createLru } from '../concurrency/memo.ts'
import { isUnavailable } from '../db/errors.ts'
import type { Db } from '../db/pool.ts'
import { countHits } from '../db/rate-window.queries.ts'
import { isBcrypt } from '../identity/argon.ts'
import type { Passwords } from '../identity/password.ts'
import { createRejectionMemory } from '../identity/rejection-memory.ts'
import {
  rememberVisitor,
  removeGuess,
  replaceHash,
  startGuess,
} from './visit/password-guesses.queries.ts'

type Window = { hits: number; endsAt: number }

/** The number of wrong guesses allowed per link in 15 minutes. */
const MAX_PER_LINK = 30

const LINK_WINDOW_MS = 900_000

/** The window of the limits per caller. */
const WINDOW_MS = 60_000

/** The maximum number of counts in memory. */
const MAX_SUBJECTS = 10_000

/**
 * The result of a guess. `too_many_attempts` means that the IP address is over its limit,
 * `link_waits` that guesses at this link must wait.
 */
export type GuessResult =
  | { kind: 'right' }
  | { kind: 'busy' }
  | { kind: 'wrong' }
  | { kind: 'too_many_attempts' | 'link_waits'; retryAfter: number }

type ProtectedLink = { id: number; passwordHash: string }

type Dependencies = {
  db: Db
  /** Returns a keyed hash of an IP address, or of its /64 network for IPv6. */
  hashAddress: (address: string) => string
  passwords: Pick<Passwords, 'isFullFor' | 'runQueued'>
  log: (fields: Record<string, unknown>, message: string) => void
}

/** The maximum number of guesses per minute and IP address: at one link, and at all links. */
const PER_LINK = 10
const PER_ADDRESS = 100

/**
 * Checks guesses of link passwords, which are expensive to verify.
 *
 * IP addresses take turns, so a flood from one address delays only itself. Guesses over a limit are
 * rejected before they are queued. If many addresses guess at one link, the wait between guesses
 * grows, except for visitors who recently entered the right password. While the database is
 * unavailable, this process counts guesses itself, so that password-protected links keep working.
 */
export function createPasswordGuesses({ db, hashAddress, passwords, log }: Dependencies) {
  const rejections = createRejectionMemory()
  const localGuesses = createLocalGuesses()

  return {
    /**
     * Checks whether `password` is the link's password.
     *
     * @throws AppError `busy` if the guess was dropped from the queue
     */
    async check(link: ProtectedLink, address: string, password: string): Promise<GuessResult> {
      const caller = hashAddress(address)
      const rejection = findRejection(link, caller)
      if (rejection) return rejection
      if (passwords.isFullFor(caller)) return { kind: 'busy' }
      return passwords.runQueued(caller, async (matches, hash) => {
        const rejection = findRejection(link, caller) ?? (await countGuess(link, caller))
        if (rejection) return rejection
        if (!(await matches(link.passwordHash, password))) return { kind: 'wrong' }
        localGuesses.uncount(link.id)
        await recordCorrectGuess(link, caller, () => hash(password)).catch((error: unknown) => {
          if (!isUnavailable(error)) throw error
        })
        return { kind: 'right' }
      })
    },
  }

  /**
   * Counts a guess, in this process if the database is unavailable. Returns a result if the guess
   * must not be checked.
   */
  async function countGuess(link: ProtectedLink, caller: string): Promise<GuessResult | undefined> {
    try {
      return await countInDatabase(link, caller)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const limits = { perLink: PER_LINK, perAddress: PER_ADDRESS }
      const retryAfter = localGuesses.countCaller(link.id, caller, limits)
      if (retryAfter) return { kind: 'too_many_attempts', retryAfter }
      const wait = localGuesses.countLink(link.id)
      return wait ? { kind: 'link_waits', retryAfter: wait } : undefined
    }
  }

  /** Records a correct guess. */
  async function recordCorrectGuess(
    link: ProtectedLink,
    caller: string,
    hash: () => Promise<string>,
  ): Promise<void> {
    await removeGuess(db, link.id)
    const passwordHash = isBcrypt(link.passwordHash)
      ? await replaceHash(db, link, await hash())
      : link.passwordHash
    await rememberVisitor(db, link.id, hashVisitor({ ...link, passwordHash }, caller))
  }

  /** Returns the cached rejection of the caller's IP address, for this link or for all links. */
  function findRejection({ id }: ProtectedLink, caller: string): GuessResult | undefined {
    const waiting = rejections.secondsLeft(`waits ${id} ${caller}`)
    if (waiting) return { kind: 'link_waits', retryAfter: waiting }
    const retryAfter = rejections.secondsLeft(`${id} ${caller}`) ?? rejections.secondsLeft(caller)
    return retryAfter ? { kind: 'too_many_attempts', retryAfter } : undefined
  }

  /**
   * Counts a guess in the database, against the IP address and the link. Returns a result if the
   * guess must not be checked.
   */
  async function countInDatabase(
    link: ProtectedLink,
    caller: string,
  ): Promise<GuessResult | undefined> {
    const subjects = [`guess:${link.id}:${caller}`, `guesses:${caller}`]
    const [atLink, atAll] = await countHits(db, subjects)
    if (atLink && atLink.hits > PER_LINK) {
      return reject('too_many_attempts', `${link.id} ${caller}`, atLink.retryAfter)
    }
    if (atAll && atAll.hits > PER_ADDRESS) {
      return reject('too_many_attempts', caller, atAll.retryAfter)
    }
    const started = await startGuess(db, link.id, hashVisitor(link, caller))
    if (started.wait !== undefined) {
      return reject('link_waits', `waits ${link.id} ${caller}`, started.wait)
    }
    if (started.isFirstToWait) {
      log(
        { link: link.id },
        'guesses at the password of a link are being delayed because many were wrong',
      )
    }
    return undefined
  }

  function reject(
    kind: 'too_many_attempts' | 'link_waits',
    subject: string,
    seconds: number,
  ): GuessResult {
    rejections.add(subject, seconds)
    return { kind, retryAfter: Math.ceil(seconds) }
  }
}

/**
 * Returns the hash by which known visitors are stored. It includes the password's hash, so changing
 * the password forgets them all.
 */
function hashVisitor({ passwordHash }: ProtectedLink, caller: string): string {
  const digest = createHash('sha256').update(`${caller} ${passwordHash}`).digest('base64url')
  return digest.slice(0, 16)
}

/**
 * Counts password guesses in this process while the database is unavailable, so that an outage does
 * not allow unlimited guesses. Each process counts separately, and a restart resets the counts.
 */
function createLocalGuesses({ monotonic = () => performance.now() } = {}) {
  const windows = createLru<string, Window>({ max: MAX_SUBJECTS })

  /** Counts an attempt. Returns the seconds to wait if there were more than `max`. */
  function count(subject: string, max: number, windowMs: number): number | undefined {
    const now = monotonic()
    const current = windows.get(subject)
    const window = current && current.endsAt > now ? current : { hits: 0, endsAt: now + windowMs }
    window.hits += 1
    windows.set(subject, window)
    return window.hits > max ? Math.ceil((window.endsAt - now) / 1000) : undefined
  }

  return {
    /**
     * Counts a caller's guess against a limit for the link and a limit for all links. Returns the
     * seconds to wait if a limit is exceeded.
     */
    countCaller(linkId: number, caller: string, limits: { perLink: number; perAddress: number }) {
      return (
        count(`${linkId} ${caller}`, limits.perLink, WINDOW_MS) ??
        count(caller, limits.perAddress, WINDOW_MS)
      )
    },

    /**
     * Counts a guess by any caller against the limit for the link. Returns the seconds to wait if
     * the limit is exceeded.
     */
    countLink: (linkId: number) => count(`${linkId}`, MAX_PER_LINK, LINK_WINDOW_MS),

    /** Removes a correct guess from the link's count. */
    uncount(linkId: number): void {
      const window = windows.get(`${linkId}`)
      if (window) window.hits -= 1
    },
  }
}
