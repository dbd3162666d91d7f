/** Returns the path and query of a URL or path in the console. Returns undefined for other values. */
export function parseConsolePath(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value, 'http://console.invalid') : null
  if (url?.origin !== 'http://console.invalid') return undefined
  if (!/^\/console(?:\/|$)/.test(url.pathname)) return undefined
  return url.pathname + url.search
}
