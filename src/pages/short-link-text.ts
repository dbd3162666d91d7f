/** Returns a short URL for display, without its scheme and with its alias decoded. */
export function shortLinkText(shortUrl: string): string {
  const bare = shortUrl.replace(/^https?:\/\//i, '')
  try {
    return decodeURI(bare)
  } catch {
    return bare
  }
}
