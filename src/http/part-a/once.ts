import type { FastifyRequest } from 'fastify'
import { invalid } from '../../errors.ts'
import type { Features, Services } from '../../services.ts'

export type Once = ReturnType<typeof createOnce>

const MAX_LENGTH = 255

/** Lets a POST be repeated without being done twice, when it names itself by `Idempotency-Key`. */
export function createOnce({ idempotency, bind, ...services }: Services) {
  return async function once<Reply>(
    request: FastifyRequest,
    work: (features: Features) => Promise<Reply>,
  ): Promise<Reply> {
    const key = request.headers['idempotency-key']
    if (key === undefined) return work(services)
    if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH) {
      throw invalid('Idempotency-Key', `must be 1 to ${MAX_LENGTH} characters long`)
    }
    const said = `${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`
    return idempotency.once({ accountId: request.account.id, key, request: said }, (tx) =>
      work(bind(tx)),
    )
  }
}
