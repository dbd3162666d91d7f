/**
 * Returns whether an `If-None-Match` header contains the strong entity tag `etag`, by weak comparison,
 * or `*` (RFC 9110, section 13.1.2).
 */
export function matchesEntityTag(header: string, etag: string): boolean {
  return header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*')
}
