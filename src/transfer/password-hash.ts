import { invalid } from '../errors.ts'

/** The PHC string format. Libraries write the parameters in different orders. */
const ARGON2 =
  /^\$argon2(?:id|i|d)\$v=(?:16|19)\$((?:[mtp]=\d{1,7},?){3})\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{16,172}$/
const BCRYPT = /^\$2[aby]\$(\d{2})\$[./A-Za-z0-9]{53}$/

/**
 * The maximum cost of verifying an imported hash, which is a few times the cost of our own hashes.
 * Memory is in KiB, and rounds are those of bcrypt (as a power of two).
 */
const MAX_COST = { memory: 65_536, passes: 10, lanes: 8, rounds: 13 }

/**
 * Validates the hash of a link's password from another service. It must be argon2 or bcrypt with a
 * limited cost.
 *
 * @throws AppError `invalid_input` naming `password`
 */
export function parsePasswordHash(value: string): string {
  const [, parameters] = ARGON2.exec(value) ?? []
  if (parameters !== undefined) {
    const numbers = new Map(parameters.split(',').map((each) => [each[0], Number(each.slice(2))]))
    const [memory = 0, passes = 0, lanes = 0] = ['m', 't', 'p'].map((name) => numbers.get(name))
    const isBounded =
      memory <= MAX_COST.memory && passes <= MAX_COST.passes && lanes <= MAX_COST.lanes
    if (isBounded && memory >= 8 * lanes && passes > 0 && lanes > 0) return value
    throw invalid('password', 'hash_too_expensive')
  }
  const [, rounds] = BCRYPT.exec(value) ?? []
  if (rounds === undefined) throw invalid('password', 'argon2_or_bcrypt')
  if (Number(rounds) < 4 || Number(rounds) > MAX_COST.rounds) {
    throw invalid('password', 'hash_too_expensive')
  }
  return value
}
