import fc, { type Arbitrary } from 'fast-check'
import { anyCharacter } from './any-character.ts'
import { webUrl } from './web-url.ts'

type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  pattern?: string
}

/** Values that fields with these names accept, generated in addition to arbitrary ones. */
const MEANINGFUL_VALUES: Record<string, Arbitrary<unknown>> = {
  url: webUrl({ withQueryParameters: true, withFragments: true }),
  link: webUrl(),
  custom: fc.stringMatching(/^[a-z0-9]{6,20}$/),
  slug: fc.stringMatching(/^[a-z0-9]{6,20}$/),
  domain: fc.domain().map((domain) => `https://${domain}`),
  redirectroot: webUrl(),
  redirect404: webUrl(),
  expiry: fc.constantFrom('2099-01-01', '2099-12-31 23:59:59'),
  location: fc.constantFrom('Germany', 'fr', 'Japan'),
  device: fc.constantFrom('iphone', 'Windows', 'mobile'),
  language: fc.constantFrom('en', 'de-AT', 'ja'),
  metaimage: webUrl(),
  email: fc.emailAddress(),
  color: fc.constantFrom('#fff', '#00ff7f'),
  background: fc.constantFrom('rgb(255,255,255)', 'rgb(250, 240, 230)'),
  foreground: fc.constantFrom('rgb(0,0,0)', 'rgb(40, 0, 90)'),
  tag: fc.stringMatching(/^[A-Za-z0-9_.:-]{1,20}$/),
  data: fc.oneof(
    webUrl(),
    fc.string({ maxLength: 100 }),
    fc.record({ ssid: fc.string(), phone: fc.string() }),
  ),
}

/** Generates values that a schema allows, most of which also satisfy rules beyond the schema. */
export function validValue(schema: Schema, name = ''): Arbitrary<unknown> {
  const known = MEANINGFUL_VALUES[name]
  if (known)
    return fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: valueOfType(schema) })
  return valueOfType(schema)
}

function valueOfType(schema: Schema): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valueOfType(each)))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'string': {
      const { minLength = 0, maxLength = 100, pattern } = schema
      if (pattern) return fc.stringMatching(new RegExp(pattern))
      return fc.string({
        unit: 'grapheme',
        minLength,
        maxLength: Math.min(maxLength, minLength + 100),
      })
    }
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: 1_000_000 })
    case 'number':
      return fc.double({ noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const { minItems = 0, maxItems = 4 } = schema
      const maxLength = Math.min(maxItems, minItems + 4)
      return fc.array(valueOfType(schema.items ?? {}), { minLength: minItems, maxLength })
    }
    case 'object':
      return objectOf(schema)
    default:
      return fc.jsonValue()
  }
}

function objectOf({ properties = {}, required = [] }: Schema): Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    validValue(schema, name),
  ])
  return fc.record(Object.fromEntries(fields), { requiredKeys: required })
}

/** Generates values that most schemas reject: huge, empty, malicious or of the wrong type. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    null,
    true,
    false,
    0,
    -1,
    1e308,
    -0,
    [],
    {},
    [[]],
    [null],
    '\u0000',
    '\ud800',
  ),
  fc.constantFrom<unknown>(
    '../../etc/passwd',
    "' or 1=1 --",
    '<script>',
    '{{7*7}}',
    '%00',
    '\r\nX: y',
    '__proto__',
  ),
  fc.constantFrom<unknown>(
    Number.MAX_SAFE_INTEGER,
    2 ** 53,
    1.5,
    'x'.repeat(10_000),
    '9'.repeat(400),
  ),
  fc.constantFrom<unknown>(
    'javascript:alert(1)',
    'http://127.0.0.1/',
    'http://brev.test/x',
    'file:///etc/passwd',
  ),
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.jsonValue(),
)

/** Generates objects with a field replaced, removed or added, hostile values, and lists. */
export function mutatedValue(schema: Schema): Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {})
  const name = fc.oneof(fc.constantFrom('extra', '__proto__', 'constructor', ...names), fc.string())
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(validValue(schema), name, hostileValue).map(withField) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(validValue(schema), name)
        .map(([value, removedField]) => withoutField(value, removedField)),
    },
    { weight: 1, arbitrary: hostileValue },
    { weight: 1, arbitrary: validValue(schema).map((value) => [value]) },
  )
}

function withField([value, name, replacement]: [unknown, string, unknown]): unknown {
  if (typeof value !== 'object' || value === null) return replacement
  return Object.fromEntries([...Object.entries(value), [name, replacement]])
}

function withoutField(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
}
