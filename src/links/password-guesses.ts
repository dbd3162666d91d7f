import { createHash } from 'node:crypto'
import { isBcrypt } from '../accounts/argon.ts'
import type { Passwords } from '../accounts/password.ts'
import { countHits } from '../accounts/rate-window.queries.ts'
import { createRejectionMemory } from '../accounts/rejection-memory.ts'
import { isUnavailable } from '../db/errors.ts'
import type { Db } from '../db/pool.ts'
import { createLocalGuesses } from './local-guesses.ts'
import {
  beginGuess,
  rememberVisitor,
  replaceHash,
  takeBackGuess,
} from './password-guesses.queries.ts'

/** What became of a guess; `too_many_attempts` concerns the address, `link_waits` the link. */
export type GuessResult =
  | { kind: 'right' }
  | { kind: 'busy' }
  | { kind: 'wrong' }
  | { kind: 'too_many_attempts' | 'link_waits'; retryAfter: number }

type Guessed = { id: number; passwordHash: string }

type Dependencies = {
  db: Db
  /** A keyed hash that stands for an address, of IPv6 for its /64. */
  hashAddress: (address: string) => string
  passwords: Pick<Passwords, 'isFullFor' | 'inTurn'>
  log: (fields: Record<string, unknown>, message: string) => void
}

/** Guesses of one address in a minute: at one link, and at all of them. */
const PER_LINK = 10
const PER_ADDRESS = 100

/**
 * Guesses at the passwords of links, which cost much. Addresses take turns, so that a flood from one
 * hinders itself; who is over a limit is refused before taking a place. Guesses at one link that come
 * from many addresses wait longer and longer, but not those of visitors who were right lately. While the
 * database is away, this process counts guesses by itself, so that links with passwords work then, too.
 */
export function createPasswordGuesses({ db, hashAddress, passwords, log }: Dependencies) {
  const rejections = createRejectionMemory()
  const local = createLocalGuesses()

  return {
    /**
     * Whether `password` opens the link.
     *
     * @throws AppError `busy` when the guess had to give way while it waited
     */
    async check(link: Guessed, address: string, password: string): Promise<GuessResult> {
      const caller = hashAddress(address)
      const refused = rejectionOf(link, caller)
      if (refused) return refused
      if (passwords.isFullFor(caller)) return { kind: 'busy' }
      return passwords.inTurn(caller, async (matches, hash) => {
        const rejection = rejectionOf(link, caller) ?? (await count(link, caller))
        if (rejection) return rejection
        if (!(await matches(link.passwordHash, password))) return { kind: 'wrong' }
        local.takeBack(link.id)
        await record(link, caller, () => hash(password)).catch((error: unknown) => {
          if (!isUnavailable(error)) throw error
        })
        return { kind: 'right' }
      })
    },
  }

  /** Counts a guess; says if it may not go on. */
  async function count(link: Guessed, caller: string): Promise<GuessResult | undefined> {
    try {
      return await begin(link, caller)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const limits = { perLink: PER_LINK, perAddress: PER_ADDRESS }
      const retryAfter = local.countCaller(link.id, caller, limits)
      if (retryAfter) return { kind: 'too_many_attempts', retryAfter }
      const wait = local.countLink(link.id)
      return wait ? { kind: 'link_waits', retryAfter: wait } : undefined
    }
  }

  /** Records that a guess was right. */
  async function record(link: Guessed, caller: string, hash: () => Promise<string>): Promise<void> {
    await takeBackGuess(db, link.id)
    const passwordHash = isBcrypt(link.passwordHash)
      ? await replaceHash(db, link, await hash())
      : link.passwordHash
    await rememberVisitor(db, link.id, visitorOf({ ...link, passwordHash }, caller))
  }

  /** What is known already of this address, at this link or at all. */
  function rejectionOf({ id }: Guessed, caller: string): GuessResult | undefined {
    const waiting = rejections.secondsLeft(`waits ${id} ${caller}`)
    if (waiting) return { kind: 'link_waits', retryAfter: waiting }
    const retryAfter = rejections.secondsLeft(`${id} ${caller}`) ?? rejections.secondsLeft(caller)
    return retryAfter ? { kind: 'too_many_attempts', retryAfter } : undefined
  }

  /** Counts a guess against the address and the link; says if it may not go on. */
  async function begin(link: Guessed, caller: string): Promise<GuessResult | undefined> {
    const subjects = [`guess:${link.id}:${caller}`, `guesses:${caller}`]
    const [atLink, atAll] = await countHits(db, subjects)
    if (atLink && atLink.hits > PER_LINK) {
      return refuse('too_many_attempts', `${link.id} ${caller}`, atLink.retryAfter)
    }
    if (atAll && atAll.hits > PER_ADDRESS) {
      return refuse('too_many_attempts', caller, atAll.retryAfter)
    }
    const begun = await beginGuess(db, link.id, visitorOf(link, caller))
    if (begun.wait !== undefined) {
      return refuse('link_waits', `waits ${link.id} ${caller}`, begun.wait)
    }
    if (begun.isFirstToWait) {
      log({ link: link.id }, 'guesses at the password of a link wait: many were wrong')
    }
    return undefined
  }

  function refuse(
    kind: 'too_many_attempts' | 'link_waits',
    subject: string,
    seconds: number,
  ): GuessResult {
    rejections.add(subject, seconds)
    return { kind, retryAfter: Math.ceil(seconds) }
  }
}

/** Who is known does not know the next password of the link. */
function visitorOf({ passwordHash }: Guessed, caller: string): string {
  const digest = createHash('sha256').update(`${caller} ${passwordHash}`).digest('base64url')
  return digest.slice(0, 16)
}
