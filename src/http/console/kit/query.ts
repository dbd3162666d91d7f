/** Returns a trimmed text of a query, or an empty string if it is missing or repeated. */
export function readText(query: unknown, name: string): string {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns a positive integer from a query, or undefined if it is missing or invalid. */
export function readPositiveInteger(query: unknown, name: string): number | undefined {
  const text = readText(query, name)
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** Returns a path with a query, omitting empty values. */
export function buildPath(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const nonEmpty = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(nonEmpty.map(([name, value]) => [name, String(value)]))
  return text.size > 0 ? `${path}?${text}` : path
}

/** Returns the path and query of a URL or path in the console. Returns undefined for other values. */
export function parseConsolePath(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value, 'http://console.invalid') : null
  if (url?.origin !== 'http://console.invalid') return undefined
  if (!/^\/console(?:\/|$)/.test(url.pathname)) return undefined
  return url.pathname + url.search
}
