/** Returns whether a statement failed because the database is read-only, such as a replica. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === '25006'
}
