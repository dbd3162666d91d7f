import { html, type SafeHtml } from '@remix-run/html-template'
import type { Operation, Schema } from './openapi.ts'
import { createSampleCall, SAMPLE_LANGUAGES, SAMPLE_NAMES, type SampleLanguage } from './samples.ts'

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

/** How the pages show samples: their language, and links to the page with another one. */
export type Samples = {
  baseUrl: string
  language: SampleLanguage
  /** The name of the links to other languages. */
  label: string
  hrefOf: (language: SampleLanguage, anchor: string) => string
}

/** Renders one operation: its purpose, parameters, a sample call and the response. */
export function operationSection(operation: Operation, samples: Samples): SafeHtml {
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
${renderSample(operation, samples, id)}
${
  reply
    ? html`<details><summary>Example response</summary>
<pre tabindex="0"><code>${JSON.stringify(createSample(reply), null, 2)}</code></pre></details>`
    : null
}
</section>`
}

/** Renders a sample call, with links to the same one in other languages. `anchor` is where they lead. */
export function renderSample(operation: Operation, samples: Samples, anchor: string): SafeHtml {
  const { baseUrl, language, label, hrefOf } = samples
  const links = SAMPLE_LANGUAGES.map(
    (each) =>
      html`<li><a href="${hrefOf(each, anchor)}"${each === language ? html` aria-current="true"` : null}>${SAMPLE_NAMES[each]}</a></li>`,
  )
  return html`<ul class="switch" aria-label="${label}">${links}</ul>
<pre tabindex="0"><code data-sample="${language}">${createSampleCall(operation, baseUrl, language)}</code></pre>`
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
