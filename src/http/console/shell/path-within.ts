/** Returns the path and query if they belong to the console, otherwise undefined. */
export function parseConsolePath(value: unknown): string | undefined {
  const url = typeof value === 'string' ? URL.parse(value, 'http://console.invalid') : null
  if (url?.origin !== 'http://console.invalid') return undefined
  if (!/^\/console(?:\/|$)/.test(url.pathname)) return undefined
  return url.pathname + url.search
}
