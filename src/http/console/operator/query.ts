/** Returns a trimmed text of a query, or an empty string if it is missing or repeated. */
export function readText(query: unknown, name: string): string {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns the row number in a query, if valid. */
export function readRow(query: unknown, name: string): number | undefined {
  const text = readText(query, name)
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** Returns a URL with a query, omitting empty values. */
export function buildPath(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return text.size > 0 ? `${path}?${text}` : path
}
