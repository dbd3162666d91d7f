import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { invalid } from '../../errors.ts'
import type { Scope } from '../../scope.ts'

export type RunOnce = ReturnType<typeof createRunOnce>

/** The steps of a POST. */
export type Operation<Prepared, Result, Reply> = {
  /** Runs before the transaction, for slow work such as outbound requests. */
  prepare?: () => Promise<Prepared>
  /**
   * Runs in the transaction that stores the reply if the request has an `Idempotency-Key`, otherwise
   * without one.
   */
  work: (scope: Scope<HttpContext>, prepared: Prepared) => Promise<Result>
  /** Formats the reply. With an `Idempotency-Key`, an error here rolls back `work`. */
  present: (result: Result) => Reply
}

const MAX_LENGTH = 255

/** Creates the function that runs a POST only once per `Idempotency-Key`. */
export function createRunOnce({ idempotency }: HttpContext) {
  return async function runOnce<Result, Reply, Prepared = undefined>(
    request: FastifyRequest,
    {
      prepare = async () => undefined as Prepared,
      work,
      present,
    }: Operation<Prepared, Result, Reply>,
  ): Promise<Reply> {
    const key = request.headers['idempotency-key']
    if (key === undefined) return present(await work(request.scope, await prepare()))
    if (typeof key !== 'string' || key.length < 1 || key.length > MAX_LENGTH) {
      throw invalid('Idempotency-Key', 'length_range', { max: MAX_LENGTH })
    }
    // API keys restricted to different domains turn the same request into different links, so the
    // domain is part of the fingerprint.
    const domain = request.key.domain?.id ?? 'any'
    const fingerprint = `${request.method} ${request.url} ${domain}\n${JSON.stringify(request.body ?? null)}`
    const attempt = { accountId: request.account.id, key, request: fingerprint }
    return idempotency.run(attempt, prepare, async (tx, prepared) =>
      present(await work({ ...request.scope, db: tx }, prepared)),
    )
  }
}
