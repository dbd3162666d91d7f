import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FieldNames, messageWith } from '../../errors.ts'
import { errorHeaders, toAppError } from '../errors.ts'
import { fieldNames } from './field-names.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the fields of this route are called, where not as in the rest of the API. */
    fieldNames?: FieldNames
  }
}

/** An error in the envelope of this API. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown, request.log)
  return reply
    .code(error.status)
    .headers(errorHeaders(error))
    .type('application/json; charset=utf-8')
    .send({ error: 1, message: messageWith(namesOf(request), error) })
}

/** A link's alias was called `custom` from the first day; that of a bio page never was. */
function namesOf({ routeOptions }: FastifyRequest): FieldNames {
  return routeOptions.config.fieldNames ?? fieldNames
}
