import type { Operation, Parameter } from './openapi.ts'

/** The languages of samples. The first one is the default. */
export const SAMPLE_LANGUAGES = ['curl', 'javascript', 'python', 'php'] as const
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number]

export const SAMPLE_NAMES: Readonly<Record<SampleLanguage, string>> = {
  curl: 'curl',
  javascript: 'JavaScript',
  python: 'Python',
  php: 'PHP',
}

/** Returns a sample call of an operation in a language. */
export function createSampleCall(
  operation: Operation,
  baseUrl: string,
  language: SampleLanguage,
): string {
  return FORMATS[language]({
    url: `${baseUrl}${fillPath(operation)}`,
    body: operation.body?.example,
    method: operation.method.toUpperCase(),
    // The path of the legacy API contains the key.
    needsKey: !operation.path.includes('{key}'),
  })
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

function formatPhp({ method, url, body, needsKey }: Request): string {
  const headers = [
    ...(needsKey ? ['"Authorization: Bearer $key"'] : []),
    ...(body === undefined ? [] : ["'Content-Type: application/json'"]),
  ]
  const options = [
    `'method' => '${method}'`,
    ...(headers.length === 0 ? [] : [`'header' => [${headers.join(', ')}]`]),
    ...(body === undefined ? [] : [`'content' => json_encode(${formatPhpValue(body)})`]),
    // Otherwise, an error would have no body.
    "'ignore_errors' => true",
  ]
  return `<?php
$options = [
    ${options.join(',\n    ')},
];
$context = stream_context_create(['http' => $options]);
$response = file_get_contents(${quoteForPhp(url)}, false, $context);
print_r(json_decode($response, true));`
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

function formatPhpValue(value: unknown): string {
  if (typeof value === 'string') return quoteForPhp(value)
  if (Array.isArray(value)) return `[${value.map(formatPhpValue).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value)
  // An empty list would become [] in JSON.
  if (entries.length === 0) return 'new stdClass()'
  return `[${entries.map(([key, entry]) => `${quoteForPhp(key)} => ${formatPhpValue(entry)}`).join(', ')}]`
}

/** Quotes a text as PHP, which only knows two escapes in single quotes. */
function quoteForPhp(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

const FORMATS: Readonly<Record<SampleLanguage, (request: Request) => string>> = {
  curl: formatCurl,
  javascript: formatJavaScript,
  python: formatPython,
  php: formatPhp,
}
