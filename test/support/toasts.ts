/** Returns the id of the undo action from a confirmation's cookie. */
export function readUndoId({ headers }: { headers: Record<string, unknown> }): string {
  const cookies = [headers['set-cookie'] ?? []].flat().join('; ')
  return /brevis_toast=[a-zA-Z]*\.(\d+)/.exec(cookies)?.[1] ?? ''
}
