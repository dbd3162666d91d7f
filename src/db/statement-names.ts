/** Every name keeps a plan on every connection, so texts that vary must not grow without bound. */
const MAX = 200
const names = new Map<string, string>()

/** Has a statement be sent by a name from now on, so that each connection plans it once. */
export function nameStatement(text: string): void {
  if (!names.has(text) && names.size < MAX) names.set(text, `brevis_${names.size}`)
}

/** The name under which a statement is prepared, if it is one of those that are. */
export function nameOf(text: string): string | undefined {
  return names.get(text)
}
