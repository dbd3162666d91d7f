import fc, { type Arbitrary } from 'fast-check'
import type { InjectOptions } from 'fastify'
import { anyCharacter } from './any-character.ts'
import type { Operation } from './contract.ts'
import {
  brokenBodies,
  headerNames,
  hostileSegments,
  hostileValues,
  methods,
} from './hostile-values.ts'
import { base64 } from './legacy-api.ts'
import { hostileValue, mutatedValue, validValue } from './schema-arbitrary.ts'
import { webUrl } from './web-url.ts'
import { asForm, asJson, asMultipart, asQuery, type Fields } from './yourls.ts'

const headers: Arbitrary<Record<string, string>> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...headerNames),
      fc.oneof(fc.constantFrom(...hostileValues), fc.string({ maxLength: 40 }).map(toAscii)),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => Object.fromEntries(pairs))

const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileSegments) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: anyCharacter, maxLength: 20 })
      .map((text) => encodeURIComponent(text.toWellFormed())),
  },
)

const id = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 40 }).map(String) },
  { weight: 1, arbitrary: hostileText },
)

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom('limit', 'page', 'order', 'short', 'size', 'limit[]', '__proto__', '%zz'),
      hostileText,
    ),
    { maxLength: 3 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))

const body = fc.oneof(
  fc.constantFrom(...brokenBodies),
  hostileValue.map((value) => JSON.stringify(value) ?? ''),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
)

/** Generates requests to an operation of the JSON API with this key, most of them malformed. */
export function hostileCall(operation: Operation, key: string): Arbitrary<InjectOptions> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const segment = (name: string) =>
    name === 'type' ? fc.oneof(fc.constantFrom('links', 'bio', 'qr'), hostileText) : id
  const path = fc
    .tuple(...names.map(segment))
    .map((values) =>
      names.reduce(
        (url, name, index) => url.replace(`{${name}}`, () => values[index] ?? ''),
        operation.path,
      ),
    )
  const schema = operation.requestBody?.content['application/json']?.schema
  const payload = schema
    ? fc.oneof(
        { weight: 2, arbitrary: fc.oneof(validValue(schema), mutatedValue(schema)).map(toJson) },
        { weight: 1, arbitrary: body },
      )
    : fc.option(body, { freq: 4, nil: undefined })
  const type = fc.constantFrom('application/json', 'application/json', 'text/plain', '')
  const method = fc.oneof(
    { weight: 6, arbitrary: fc.constant(operation.method) },
    { weight: 1, arbitrary: fc.constantFrom(...methods) },
  )
  const tail = fc.oneof(
    { weight: 8, arbitrary: fc.constant('') },
    hostileText.map((text) => `/${text}`),
  )
  return fc.record({ path, tail, query, payload, type, method, headers }).map((created) =>
    request({
      ...created,
      url: created.path + created.tail,
      headers: {
        authorization: `Bearer ${key}`,
        ...(created.type && { 'content-type': created.type }),
        ...created.headers,
      },
    }),
  )
}

/**
 * Generates calls of the legacy API: its six operations with parameters of every kind, in both
 * formats.
 */
export function hostileLegacyCall(key: string): Arbitrary<InjectOptions> {
  const encode = (text: string) => encodeURIComponent(base64(text.toWellFormed()))
  const url = webUrl().map((text) => `url/${encode(text)}`)
  const short = fc
    .constantFrom('toggled', 'none')
    .map((alias) => `short_url/${encode(`http://brev.test/${alias}`)}`)
  const binary = fc.string({ unit: anyCharacter, maxLength: 80 }).map(encode)
  const value = fc.oneof(
    binary,
    hostileText,
    fc.constantFrom('2099-01-01', 'brev.test', 'YQ==', 'Y/Q'),
  )
  const names = ['url', 'short_url', 'custom_url', 'password', 'expiry_date', 'base_domain', 'x']
  const pairs = fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 3 })
    .map((entries) => entries.flat().join('/'))
  const validCall = fc.oneof(
    url.map((text) => `create/${text}`),
    fc.tuple(fc.constantFrom('info', 'enable', 'disable'), short).map((parts) => parts.join('/')),
    fc.constant('list_active_urls'),
  )
  const invalidCall = fc
    .tuple(
      fc.constantFrom('create', 'info', 'list_active_urls', 'x'),
      fc.oneof(pairs, url, short),
      pairs,
    )
    .map((parts) => parts.join('/'))
  const end = fc.constantFrom('.json', '.xml', '.json', '.xml', '.json', '', '.JSON', '.xml.json')
  const rest = fc.tuple(fc.oneof(validCall, invalidCall), end).map((parts) => parts.join(''))
  const caller = fc.oneof({ weight: 9, arbitrary: fc.constant(key) }, hostileText)
  const method = fc.oneof(
    { weight: 9, arbitrary: fc.constant('GET') },
    { weight: 1, arbitrary: fc.constantFrom(...methods) },
  )
  return fc
    .record({ caller, rest, query, headers, method })
    .map(({ caller, rest, ...created }) =>
      request({ ...created, url: `/api/v1/${caller}/shorturl/${rest}`, payload: undefined }),
    )
}

/** Generates calls of the YOURLS API in every parameter format, many of them invalid. */
export function hostileYourlsCall(key: string): Arbitrary<InjectOptions> {
  const text = fc.oneof(
    fc.constantFrom(...hostileValues),
    fc.string({ unit: anyCharacter, maxLength: 80 }),
    webUrl(),
    fc.constantFrom('plain', 'http://brev.test/plain', '10', 'rand', 'bottom', 'a.b', '\0'),
  )
  const names = [
    'url',
    'keyword',
    'title',
    'shorturl',
    'filter',
    'limit',
    'start',
    'db',
    'callback',
  ]
  const more = fc.dictionary(fc.constantFrom(...names, 'timestamp', '__proto__'), text, {
    maxKeys: 5,
  })
  const actions = ['shorturl', 'expand', 'url-stats', 'stats', 'db-stats', 'version']
  const action = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...actions) }, text)
  const format = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('json', 'xml', 'jsonp', 'simple', 'JSON') },
    text,
  )
  const signature = fc.oneof({ weight: 9, arbitrary: fc.constant(key) }, text)
  const fields = fc
    .record({ action, format, signature, more })
    .map(({ more: rest, ...others }) => ({ ...others, ...rest }) as Fields)
  const encoding = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(asQuery, asForm, asMultipart, asJson) },
    {
      weight: 1,
      arbitrary: body.map((payload) => (values: Fields) => ({ ...asForm({}, values), payload })),
    },
    {
      weight: 1,
      arbitrary: body.map((payload) => (values: Fields) => ({ ...asJson({}, values), payload })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...methods)
        .map((method) => (values: Fields) => ({ ...asQuery(values), method: method as 'GET' })),
    },
  )
  return fc
    .record({ fields, encode: encoding, headers })
    .map(({ fields: values, encode, headers: extra }) => {
      const call = encode(values)
      return { ...call, headers: { ...extra, ...call.headers } }
    })
}

/** Generates requests of visitors: short links and pages by any method, and their forms. */
export function hostileVisit(aliases: readonly string[]): Arbitrary<InjectOptions> {
  const path = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...aliases).map((alias) => `/${alias}`) },
    { weight: 2, arbitrary: hostileText.map((text) => `/${text}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...aliases), hostileText)
        .map((parts) => `/${parts.join('/')}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('qr', 'avatar', 'b', 'r', 'u', 'docs', 'health', '.well-known', 'u/a'),
          hostileText,
        )
        .map((parts) => `/${parts.join('/')}`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '/register',
        '/robots.txt',
        '/openapi.json',
        '/docs',
        '/metrics',
      ),
    },
  )
  const method = fc.constantFrom('GET', 'GET', 'GET', ...methods)
  const payload = fc.option(body, { freq: 2, nil: undefined })
  const type = fc.constantFrom(
    'application/x-www-form-urlencoded',
    'application/json',
    'text/plain',
  )
  const host = fc.constantFrom(
    'brev.test',
    'brev.test',
    'brev.test',
    'brand.test',
    'x',
    '',
    '[',
    '\u00e4',
  )
  return fc.record({ path, method, payload, type, host, query, headers }).map((created) =>
    request({
      ...created,
      url: created.path,
      headers: {
        host: created.host,
        ...(created.payload !== undefined && { 'content-type': created.type }),
        ...created.headers,
      },
    }),
  )
}

type GeneratedRequest = {
  url: string
  query: string
  method: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
}

function request({ url, query, method, headers, payload }: GeneratedRequest): InjectOptions {
  return {
    method: method as 'GET',
    url: query ? `${url}?${query}` : url,
    headers,
    ...(payload !== undefined && { payload }),
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

/** Removes control characters, which the parser rejects in headers. */
function toAscii(text: string): string {
  return text.replace(/[^ -~]/g, '?')
}
