/** The maximum number of names, because each name keeps a plan on every connection. */
const MAX_NAMES = 200
const names = new Map<string, string>()

/** Marks a statement to be sent as a prepared statement from now on. */
export function nameStatement(text: string): void {
  if (!names.has(text) && names.size < MAX_NAMES) names.set(text, `brevis_${names.size}`)
}

/** Returns the name of a prepared statement, or undefined for other statements. */
export function getStatementName(text: string): string | undefined {
  return names.get(text)
}
