/** The id of what takes a change back, from the cookie of its confirmation. */
export function undoOf({ headers }: { headers: Record<string, unknown> }): string {
  const cookies = [headers['set-cookie'] ?? []].flat().join('; ')
  return /brevis_toast=[a-zA-Z]*\.(\d+)/.exec(cookies)?.[1] ?? ''
}
