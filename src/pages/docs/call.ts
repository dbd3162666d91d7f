import type { Operation, Parameter } from './openapi.ts'

export type Call = { language: string; text: string }

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
