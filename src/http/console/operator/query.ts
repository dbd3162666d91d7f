/** A text of a query, without what surrounds it; what was sent twice or not at all is empty. */
export function textOf(query: unknown, name: string): string {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** The number of a row that a query names, if it names one. */
export function rowOf(query: unknown, name: string): number | undefined {
  const text = textOf(query, name)
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** The address of a page with a query, with nothing in it that goes without saying. */
export function addressWith(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return text.size > 0 ? `${path}?${text}` : path
}
