import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

type Schema = Record<string, unknown>
type Media = { schema?: Schema; example?: unknown }
type OpenApiOperation = {
  parameters?: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}
export type Description = {
  paths: Record<string, Record<string, OpenApiOperation>>
  components?: { schemas?: Record<string, Schema> }
}
export type Operation = OpenApiOperation & { method: string; path: string }

export type Contract = {
  operations: Operation[]
  /** Throws an Error that describes how a reply under `/api` differs from the description. */
  check(method: string, url: string, reply: LightMyRequestResponse): void
}

/** API descriptions of a worker's applications, by settings. */
const contracts = new Map<string, Contract>()

/**
 * Returns the API description in a form that replies can be compared with. It is created once per
 * worker and `settings`, because it took a twelfth of the time of short test files.
 */
export function readContract(app: FastifyInstance, settings: Record<string, string>): Contract {
  const key = JSON.stringify(settings)
  const known = contracts.get(key)
  if (known) return known
  const created = makeContract(app)
  contracts.set(key, created)
  return created
}

function makeContract(app: FastifyInstance): Contract {
  const description = app.swagger() as unknown as Description
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
  const routes = operations.map((operation) => ({ operation, pattern: patternOf(operation.path) }))
  const validatorOf = validatorsFor(JSON.stringify(description.components ?? {}))

  function check(method: string, url: string, reply: LightMyRequestResponse): void {
    const path = url.split('?', 1)[0] ?? ''
    if (!/^\/api(\/|$)/.test(path)) return
    for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
      if (!/^\d+$/.test(String(reply.headers[header]))) fail('has no header', header)
    }
    const type = String(reply.headers['content-type'] ?? '').split(';')[0] ?? ''
    if (method === 'HEAD' || method === 'OPTIONS' || type !== 'application/json') return
    const matching = routes.filter(({ pattern }) => pattern.test(path))
    const route = matching.find(({ operation }) => operation.method === method)
    if (!route) {
      const expected = matching.length > 0 ? [405] : [400, 401, 404, 405, 414, 429, 431, 503]
      if (!expected.includes(reply.statusCode)) fail('has an unexpected status', expected)
      return
    }
    const described = route.operation.responses[String(reply.statusCode)]
    if (!described) fail('has a status that is not described', reply.body)
    const schema = described.content?.['application/json']?.schema
    if (!schema) fail('has a body that is not described', reply.body)
    const validate = validatorOf(schema)
    if (!validate(reply.json())) fail('differs from its description', validate.errors)

    function fail(problem: string, detail: unknown): never {
      throw new Error(
        `the reply ${reply.statusCode} to ${method} ${url.slice(0, 200)} ${problem}: ${JSON.stringify(detail)}`,
      )
    }
  }

  return { operations, check }
}

/** Validators are shared between applications with equal descriptions. */
const validatorsByComponents = new Map<string, (schema: Schema) => ValidateFunction>()

function validatorsFor(components: string): (schema: Schema) => ValidateFunction {
  const known = validatorsByComponents.get(components)
  if (known) return known
  const created = createValidators(JSON.parse(components))
  validatorsByComponents.set(components, created)
  return created
}

function createValidators(components: unknown): (schema: Schema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: 'api', components })
  const validators = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = validators.get(text)
    if (known) return known
    const created = ajv.compile(JSON.parse(text.replaceAll('"#/components', '"api#/components')))
    validators.set(text, created)
    return created
  }
}

function patternOf(path: string): RegExp {
  // Parameters of the legacy API come in any order and number, and their values may contain
  // slashes.
  const open = path.replace(/^(\/api\/v1\/.*?\/shorturl\/\w+)\/.*(?=\.\{format\}$)/, '$1/*')
  const escaped = open.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '[^/]+')
  return new RegExp(`^${escaped.replace(/\\\*/g, '.*')}$`)
}
