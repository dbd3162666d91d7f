import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { onceAMinute } from '../concurrency/once-a-minute.ts'
import type { AppError } from '../errors.ts'
import { describeRequest } from './logging.ts'

type Outage = 'unreachable' | 'read-only' | 'slow'
type Report = (request: FastifyRequest, error: AppError) => void

const reports = new WeakMap<FastifyBaseLogger, Record<Outage, Report>>()

/**
 * Logs a request that failed because of the database, and why. A busy service rejects hundreds of
 * requests a second for one reason, so each kind of outage is logged at most once a minute, with
 * the number of requests that were rejected without a line before.
 */
export function reportOutage(outage: Outage, request: FastifyRequest, error: AppError): void {
  const { log } = request
  const own = reports.get(log) ?? {
    unreachable: createReport(log),
    'read-only': createReport(log),
    slow: createReport(log),
  }
  reports.set(log, own)
  own[outage](request, error)
}

function createReport(log: FastifyBaseLogger): Report {
  let unlogged = 0
  const write = onceAMinute((request: FastifyRequest, { status, message, cause }: AppError) => {
    const reason = cause instanceof Error ? cause.message : undefined
    log.warn({ ...describeRequest(request, status), reason, unlogged }, message)
    unlogged = -1
  })
  return (request, error) => {
    write(request, error)
    unlogged += 1
  }
}
