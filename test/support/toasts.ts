/** Returns the undo id from the toast cookie, or '' if there is none. */
export function readUndoId({ headers }: { headers: Record<string, unknown> }): string {
  const cookies = [headers['set-cookie'] ?? []].flat().join('; ')
  return /brevis_toast=[a-zA-Z]*\.(\d+)/.exec(cookies)?.[1] ?? ''
}
