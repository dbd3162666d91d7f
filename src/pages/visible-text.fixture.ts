/** Returns all text on a page that people can see or hear, one passage per line. */
export function visibleText(document: string): string {
  const markup = document.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
  const attributes = [
    ...markup.matchAll(/\s(?:alt|title|placeholder|aria-label|aria-description)="([^"]*)"/g),
  ].map(([, value]) => value)
  const texts = markup.split(/<[^>]*>/)
  return [...texts, ...attributes]
    .map((text = '') => text.trim())
    .filter((text) => text !== '')
    .join('\n')
}
