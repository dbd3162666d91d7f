import type { Schema } from './openapi.ts'

/** Example values by field name, for fields whose schema has no example. */
const examplesByName: Readonly<Record<string, unknown>> = {
  alias: 'spring',
  shorturl: 'https://brev.example/spring',
  short_url: 'https://brev.example/spring',
  short_url_part: 'spring',
  longurl: 'https://example.com/a/long/page',
  original_url: 'https://example.com/a/long/page',
  url: 'https://example.com/a/long/page',
  link: 'https://example.com/a/long/page',
  domain: 'https://go.example.com',
  email: 'anna@example.com',
  username: 'anna',
  name: 'Spring',
  title: 'Spring',
  message: 'The request was carried out.',
  url_id: '1',
  location: 'Germany',
  device: 'iphone',
  language: 'en',
}

/** Returns an example value for a schema: its own example or, if there is none, a simple value. */
export function createSample(schema: Schema, name = ''): unknown {
  const [example] = schema.examples ?? []
  if (example !== undefined) return example
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) {
    const [first = {}] = schema.anyOf.filter(
      ({ type, const: constant }) => type !== 'null' && constant !== '',
    )
    return createSample(first, name)
  }
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [
          key,
          createSample(value, key),
        ]),
      )
    case 'array':
      return schema.items ? [createSample(schema.items, name)] : []
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return false
    default:
      return createSampleText(schema, name)
  }
}

function createSampleText({ pattern }: Schema, name: string): unknown {
  // Only patterns of times contain a colon, and only patterns of dates start with a year.
  if (pattern?.includes(':')) return '2026-03-01 09:30:00'
  if (pattern?.startsWith('^\\d{4}')) return '2026-03-01'
  return examplesByName[name] ?? '…'
}
