import type { FastifyRequest } from 'fastify'
import { invalid } from '../../errors.ts'
import type { Features, Services } from '../../services.ts'

export type IdempotentPost = ReturnType<typeof createIdempotentPost>

const MAX_LENGTH = 255

/**
 * Lets a POST be repeated without being done twice, when it names itself by `Idempotency-Key`.
 * `prepare` is for what must not hold a transaction open, such as fetching from elsewhere.
 */
export function createIdempotentPost({ idempotency, bind, ...services }: Services) {
  return async function idempotent<Reply, Prepared = undefined>(
    request: FastifyRequest,
    work: (features: Features, prepared: Prepared) => Promise<Reply>,
    prepare: () => Promise<Prepared> = async () => undefined as Prepared,
  ): Promise<Reply> {
    const key = request.headers['idempotency-key']
    if (key === undefined) return work(services, await prepare())
    if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH) {
      throw invalid('Idempotency-Key', `must be 1 to ${MAX_LENGTH} characters long`)
    }
    const said = `${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`
    const attempt = { accountId: request.account.id, key, request: said }
    return idempotency.run(attempt, prepare, (tx, prepared) => work(bind(tx), prepared))
  }
}
