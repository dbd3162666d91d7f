import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FieldNames, messageWith } from '../../errors.ts'
import { createErrorHeaders, toAppError } from '../errors.ts'
import { fieldNames } from './field-names.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** API names of fields on this route that differ from the rest of the API. */
    fieldNames?: FieldNames
  }
}

/** Sends an error in this API's envelope. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown, request)
  return reply
    .code(error.status)
    .headers(createErrorHeaders(error))
    .type('application/json; charset=utf-8')
    .send({ error: 1, message: messageWith(selectFieldNames(request), error) })
}

/** The alias is called `custom` for links, but `alias` for bio pages. */
function selectFieldNames({ routeOptions }: FastifyRequest): FieldNames {
  return routeOptions.config.fieldNames ?? fieldNames
}
