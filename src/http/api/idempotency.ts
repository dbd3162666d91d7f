import type { FastifyRequest } from 'fastify'
import type { BoundResult } from '../../bound-features.ts'
import { invalid } from '../../errors.ts'
import type { OperationFeatures, Services } from '../../services.ts'

export type IdempotentPost = ReturnType<typeof createIdempotentPost>

/** A POST in its three parts. */
export type Operation<Prepared, Result, Reply> = {
  /** What must not hold a transaction open, such as fetching from elsewhere. */
  prepare?: () => Promise<Prepared>
  /** The call of a service, by the features that it is given and no others. */
  work: (features: OperationFeatures, prepared: Prepared) => Promise<BoundResult<Result>>
  /** What the client is told. If it throws, nothing was done. */
  present: (result: Result) => Reply
}

const MAX_LENGTH = 255

/** Lets a POST be repeated without being done twice, when it names itself by `Idempotency-Key`. */
export function createIdempotentPost({ idempotency, operationFeatures, bind }: Services) {
  return async function idempotent<Result, Reply, Prepared = undefined>(
    request: FastifyRequest,
    {
      prepare = async () => undefined as Prepared,
      work,
      present,
    }: Operation<Prepared, Result, Reply>,
  ): Promise<Reply> {
    const key = request.headers['idempotency-key']
    if (key === undefined) return present(await work(operationFeatures, await prepare()))
    if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH) {
      throw invalid('Idempotency-Key', `must be 1 to ${MAX_LENGTH} characters long`)
    }
    // Keys on different domains mean different requests by the same words.
    const domain = request.key.domain?.id ?? 'any'
    const said = `${request.method} ${request.url} ${domain}\n${JSON.stringify(request.body ?? null)}`
    const attempt = { accountId: request.account.id, key, request: said }
    return idempotency.run(attempt, prepare, async (tx, prepared) =>
      present(await work(bind(tx), prepared)),
    )
  }
}
