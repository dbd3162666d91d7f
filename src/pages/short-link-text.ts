/** A short URL as people read it: without its scheme, and its alias decoded. */
export function shortLinkText(shortUrl: string): string {
  const bare = shortUrl.replace(/^https?:\/\//i, '')
  try {
    return decodeURI(bare)
  } catch {
    return bare
  }
}
