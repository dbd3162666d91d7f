import { html, type SafeHtml } from '@remix-run/html-template'
import type { Operation, Parameter, Schema } from './openapi.ts'

type Call = { language: string; text: string }

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

type Row = { name: string; type: string; required: boolean; description: string }

/** Renders one operation: its purpose, parameters, example calls and response. */
export function operationSection(operation: Operation, baseUrl: string): SafeHtml {
  const { method, path, summary, description, parameters, body, reply } = operation
  const id = toAnchor(operation)
  const fields = body ? toRows(body.schema) : []
  const rows = parameters.map(({ name, required = false, description = '', schema = {} }) => ({
    name,
    required,
    description,
    type: describeType(schema),
  }))
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${summary}</h2>
<p class="operation"><strong>${method.toUpperCase()}</strong> <code>${path}</code></p>
${description ? html`<p>${description}</p>` : null}
${table('Parameters', rows)}
${body?.schema.description ? html`<p>${body.schema.description}</p>` : null}
${table('Body fields', fields)}
<div class="calls">${createExampleCalls(operation, baseUrl).map(
    ({ language, text }, index) =>
      html`<details name="${id}-call"${index === 0 ? html` open` : null}><summary>${language}</summary>
<pre tabindex="0"><code>${text}</code></pre></details>`,
  )}</div>
${
  reply
    ? html`<details><summary>Example response</summary>
<pre tabindex="0"><code>${JSON.stringify(createSample(reply), null, 2)}</code></pre></details>`
    : null
}
</section>`
}

/** Returns an operation's anchor on its page. */
export function toAnchor({ method, path }: Operation): string {
  return `${method}${path.replace(/[^a-z]+/gi, '-')}`.replace(/-+$/, '').toLowerCase()
}

function table(title: string, rows: readonly Row[]): SafeHtml | null {
  if (rows.length === 0) return null
  return html`<table class="cards">
<caption>${title}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(
    ({ name, type, required, description }) =>
      html`<tr><th scope="row"><code>${name}</code>${required ? html` <span class="needed">required</span>` : null}</th><td data-label="Type">${type}</td><td>${description}</td></tr>`,
  )}</tbody>
</table>`
}

/** Returns one row per field of an object. A list of objects is followed by the fields of the objects. */
function toRows({ properties = {}, required = [] }: Schema, prefix = ''): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`
    const { items } = unwrapNullable(schema)
    const description = schema.description ?? unwrapNullable(schema).description ?? ''
    const row = {
      name: path,
      type: describeType(schema),
      required: required.includes(name),
      description,
    }
    return items?.properties ? [row, ...toRows(items, `${path}[].`)] : [row]
  })
}

function describeType(schema: Schema): string {
  const { type, enum: values, items, const: constant, anyOf } = unwrapNullable(schema)
  if (values) return values.map(String).join(', ')
  if (constant !== undefined) return String(constant)
  if (anyOf) return anyOf.map(describeType).join(' or ')
  if (type === 'array') return items?.type ? `list of ${items.type}` : 'list'
  return type ?? 'text'
}

/** Returns the schema of a nullable value without null. Returns other schemas unchanged. */
function unwrapNullable(schema: Schema): Schema {
  const kinds = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return kinds.length === 1 ? (kinds[0] ?? schema) : schema
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

/** Returns example calls of an operation in curl, JavaScript and Python. */
export function createExampleCalls(operation: Operation, baseUrl: string): Call[] {
  const url = `${baseUrl}${fillPath(operation)}`
  const body = operation.body?.example
  const method = operation.method.toUpperCase()
  // The path of the legacy API contains the key.
  const needsKey = !operation.path.includes('{key}')
  return [
    { language: 'curl', text: formatCurl({ method, url, body, needsKey }) },
    { language: 'JavaScript', text: formatJavaScript({ method, url, body, needsKey }) },
    { language: 'Python', text: formatPython({ method, url, body, needsKey }) },
  ]
}

type Request = { method: string; url: string; body: unknown; needsKey: boolean }

function formatCurl({ method, url, body, needsKey }: Request): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoteForShell(url)}`]
  if (needsKey) lines.push(`-H "Authorization: Bearer $KEY"`)
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoteForShell(JSON.stringify(body))}`)
  }
  return lines.join(' \\\n  ')
}

function formatJavaScript({ method, url, body, needsKey }: Request): string {
  const headers = [
    ...(needsKey ? ["Authorization: 'Bearer ' + key"] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body)})`]),
  ]
  const argument = options.length === 0 ? '' : `, {\n  ${options.join(',\n  ')},\n}`
  return `const response = await fetch(${JSON.stringify(url)}${argument})
console.log(await response.json())`
}

function formatPython({ method, url, body, needsKey }: Request): string {
  const options = [
    ...(needsKey ? ['headers={"Authorization": f"Bearer {key}"}'] : []),
    ...(body === undefined ? [] : [`json=${formatPythonValue(body)}`]),
  ]
  return `import requests

response = requests.${method.toLowerCase()}(
    ${[JSON.stringify(url), ...options].join(',\n    ')},
)
print(response.json())`
}

/** Returns the path with example parameters, and the example query. */
function fillPath({ path, parameters }: Operation): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => getPathExample(name, parameters))
  const query = parameters.flatMap(({ in: where, name, example }) =>
    where === 'query' && example !== undefined ? [[name, String(example)]] : [],
  )
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`
}

function getPathExample(name: string, parameters: readonly Parameter[]): string {
  const example = parameters.find((entry) => entry.in === 'path' && entry.name === name)?.example
  if (example !== undefined) return String(example)
  if (name === 'type') return 'links'
  if (name === 'format') return 'json'
  if (name === 'key') return '$KEY'
  return /id$/i.test(name) ? '1' : name
}

/** Quotes a text as one word of a shell command. The shell still expands `$KEY`. */
function quoteForShell(text: string): string {
  return text.includes('$KEY') ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Formats a value as Python, which differs from JSON only in `None`, `True` and `False`. */
function formatPythonValue(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(formatPythonValue).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value)
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}: ${formatPythonValue(entry)}`).join(', ')}}`
}
