import { invalid } from '../errors.ts'

/** The PHC string format; libraries write the parameters in one order or another. */
const ARGON2 =
  /^\$argon2(?:id|i|d)\$v=(?:16|19)\$((?:[mtp]=\d{1,7},?){3})\$[A-Za-z0-9+/]{11,88}\$[A-Za-z0-9+/]{16,172}$/
const BCRYPT = /^\$2[aby]\$(\d{2})\$[./A-Za-z0-9]{53}$/

/** What checking a foreign hash may cost: a few times what one of our own does. */
const MOST = { memory: 65_536, passes: 10, lanes: 8, rounds: 13 }

/**
 * The hash of a link's password as other services keep it: argon2, or bcrypt, at a cost that checking
 * it does not harm anybody else.
 *
 * @throws AppError `invalid_input` naming `password`
 */
export function parsePasswordHash(value: string): string {
  const [, parameters] = ARGON2.exec(value) ?? []
  if (parameters !== undefined) {
    const numbers = new Map(parameters.split(',').map((each) => [each[0], Number(each.slice(2))]))
    const [memory = 0, passes = 0, lanes = 0] = ['m', 't', 'p'].map((name) => numbers.get(name))
    const isBounded = memory <= MOST.memory && passes <= MOST.passes && lanes <= MOST.lanes
    if (isBounded && memory >= 8 * lanes && passes > 0 && lanes > 0) return value
    throw invalid('password', 'is a hash that would be too dear to check')
  }
  const [, rounds] = BCRYPT.exec(value) ?? []
  if (rounds === undefined) throw invalid('password', 'must be an argon2 or bcrypt hash')
  if (Number(rounds) < 4 || Number(rounds) > MOST.rounds) {
    throw invalid('password', 'is a hash that would be too dear to check')
  }
  return value
}
