import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { invalid } from '../../errors.ts'

export type IdempotentPost = ReturnType<typeof createIdempotentPost>

/** The three parts of a POST. */
export type Operation<Prepared, Result, Reply> = {
  /** Does what must not hold a transaction open, such as fetching from elsewhere. */
  prepare?: () => Promise<Prepared>
  /** Calls a service with the `db` it is given, which is the transaction of the reply that is stored. */
  work: (db: Db, prepared: Prepared) => Promise<Result>
  /** Returns the reply. If it throws, nothing is stored. */
  present: (result: Result) => Reply
}

type Db = HttpContext['db']

const MAX_LENGTH = 255

/** Lets a POST with an `Idempotency-Key` be repeated without being executed twice. */
export function createIdempotentPost({ db, idempotency }: HttpContext) {
  return async function idempotent<Result, Reply, Prepared = undefined>(
    request: FastifyRequest,
    {
      prepare = async () => undefined as Prepared,
      work,
      present,
    }: Operation<Prepared, Result, Reply>,
  ): Promise<Reply> {
    const key = request.headers['idempotency-key']
    if (key === undefined) return present(await work(db, await prepare()))
    if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH) {
      throw invalid('Idempotency-Key', `must be 1 to ${MAX_LENGTH} characters long`)
    }
    // Keys on different domains mean different requests by the same words.
    const domain = request.key.domain?.id ?? 'any'
    const said = `${request.method} ${request.url} ${domain}\n${JSON.stringify(request.body ?? null)}`
    const attempt = { accountId: request.account.id, key, request: said }
    return idempotency.run(attempt, prepare, async (tx, prepared) =>
      present(await work(tx, prepared)),
    )
  }
}
