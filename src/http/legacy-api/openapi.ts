import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { describeAccess } from '../../identity/key-scope.ts'
import { findOperationAccess } from './operations.ts'

const parameters: Record<string, string> = {
  url: 'The destination URL in base64: standard or URL-safe, with or without padding.',
  short_url: 'The short URL in base64, with or without its scheme.',
  custom_url: 'The alias. Default: a random one.',
  password: 'The password that visitors must enter, up to 200 characters.',
  expiry_date: 'YYYY-MM-DD. The link expires at the end of that day, UTC.',
  base_domain: 'A branded domain of the account, without scheme or trailing slash.',
}

const timestamp = Type.String({
  description: 'UTC, YYYY-MM-DD HH:MM:SS',
  pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
})
const identity = {
  url_id: Type.String({ pattern: '^[1-9]\\d*$' }),
  short_url: Type.String(),
  short_url_part: Type.String({ description: 'The short URL without its domain.' }),
  original_url: Type.String(),
}
const status = Type.Union([Type.Literal('active'), Type.Literal('disabled')])
const optionalTimestamp = Type.Union([timestamp, Type.Literal('')], {
  description: 'UTC, or empty if there is none.',
})

const created = { ...identity, date_time: timestamp }
const state = {
  url_id: identity.url_id,
  status,
  short_url: identity.short_url,
  date_time: timestamp,
}
const details = {
  ...identity,
  date_created: timestamp,
  last_accessed: optionalTimestamp,
  total_visits: Type.Integer(),
  has_password: Type.Boolean(),
  expiry_date: optionalTimestamp,
  status,
  date_time: timestamp,
}
const list = {
  urls: Type.Array(Type.Object({ short_url: Type.String() }, { xml: { name: 'url' } }), {
    xml: { wrapped: true },
  }),
  date_time: timestamp,
}
const error = { message: Type.String(), date_time: timestamp }

const errors = {
  400: 'A parameter is unknown, missing, repeated or invalid; the message names it.',
  401: 'The key is missing, unknown, revoked or expired.',
  403: 'The key lacks the scope or is bound to another domain, the account is suspended, or it has reached its link limit.',
  404: 'There is no such operation, or the account has no such link.',
  405: 'Only GET is allowed, and prefetch requests are rejected.',
  409: 'The alias is taken.',
  414: 'The URL of the request is too long.',
  429: 'The account has reached its rate limit for this minute.',
  500: 'An unexpected error occurred.',
  503: 'The service is temporarily unavailable.',
}

/** Returns the paths of the legacy API in OpenAPI format. */
export function describeLegacyApi() {
  return Object.fromEntries([
    describeOperation('create/url/{url}', 'Shorten a URL', created),
    describeOperation(
      'create/custom_url/{custom_url}/password/{password}/expiry_date/{expiry_date}/base_domain/{base_domain}/url/{url}',
      'Shorten a URL with options',
      created,
      'Name and value pairs can come in any order. All except `url` are optional.',
    ),
    describeOperation('disable/short_url/{short_url}', 'Disable a link', state),
    describeOperation('enable/short_url/{short_url}', 'Enable a link', state),
    describeOperation('info/short_url/{short_url}', 'Show a link', details),
    describeOperation(
      'list_active_urls',
      'List the links that are neither disabled nor expired',
      list,
    ),
  ])
}

function describeOperation(path: string, summary: string, data: TProperties, description?: string) {
  const pathParameters = Object.entries(parameters).filter(([name]) => path.includes(`{${name}}`))
  const access = findOperationAccess(path)
  const get = {
    tags: ['legacy API'],
    summary,
    description: [description, access && describeAccess(access)].filter(Boolean).join(' '),
    security: [],
    parameters: [
      createPathParameter('key', 'The API key.'),
      ...pathParameters.map(([name, description]) => createPathParameter(name, description)),
      createPathParameter(
        'format',
        'The format of the reply.',
        Type.Union([Type.Literal('json'), Type.Literal('xml')]),
      ),
    ],
    responses: {
      200: describeReply('The operation succeeded.', 200, data),
      ...Object.fromEntries(
        Object.entries(errors).map(([code, reason]) => [
          code,
          describeReply(reason, Number(code), error),
        ]),
      ),
    },
  }
  return [`/api/v1/{key}/shorturl/${path}.{format}`, { get }] as const
}

function createPathParameter(name: string, description: string, schema: TSchema = Type.String()) {
  return { name, in: 'path' as const, required: true, description, schema }
}

function describeReply(description: string, code: number, data: TProperties) {
  const response = Type.Object({ code: Type.Literal(code), data: Type.Object(data) })
  const message = Type.Object(
    {
      client: Type.String({
        description: 'The IP address of the caller.',
        xml: { attribute: true },
      }),
      time: Type.Integer({
        description: 'The time of the call in Unix seconds.',
        xml: { attribute: true },
      }),
      response,
    },
    { xml: { name: 'message' } },
  )
  return {
    description,
    content: { 'application/json': { schema: response }, 'text/xml': { schema: message } },
  }
}
