import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import { type FieldNames, messageWith } from '../../errors.ts'
import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'
import { sendErrorBody, toAppError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** API names of fields on this route that differ from the rest of the API. */
    fieldNames?: FieldNames
  }
}

/** The API names of fields that have a different name internally. */
export const fieldNames: FieldNames = {
  ...Object.fromEntries(
    FIELD_NAMES.filter((name) => FIELDS[name].api !== name).map((name) => [name, FIELDS[name].api]),
  ),
  alias: 'custom',
  redirectRoot: 'redirectroot',
  assetLinks: 'assetlinks',
  appSiteAssociation: 'appsiteassociation',
}

/** The Fastify instance for the routes of this API. Handlers are typed by their schemas. */
export type ApiApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Sends an error in this API's envelope. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const error = toAppError(thrown, request)
  const message = messageWith(selectFieldNames(request), error)
  return sendErrorBody(reply, error, { error: 1, message })
}

/** The alias is called `custom` for links, but `alias` for bio pages. */
function selectFieldNames({ routeOptions }: FastifyRequest): FieldNames {
  return routeOptions.config.fieldNames ?? fieldNames
}
