/** Returns the id for undoing an action, from the cookie of its confirmation, or ''. */
export function readUndoId({ headers }: { headers: Record<string, unknown> }): string {
  const cookies = [headers['set-cookie'] ?? []].flat().join('; ')
  return /brevis_toast=[a-zA-Z]*\.(\d+)/.exec(cookies)?.[1] ?? ''
}
