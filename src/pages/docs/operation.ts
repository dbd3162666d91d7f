import { html, type SafeHtml } from '@remix-run/html-template'
import { createExampleCalls } from './call.ts'
import type { Operation, Schema } from './openapi.ts'
import { createSample } from './sample.ts'

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
