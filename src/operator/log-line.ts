/** A line of the operator log. */
export type LogLine = {
  id: number
  at: Date
  actor: string
  /** What was done. A database may have actions that an older program does not know. */
  action: string
  subject: string
  detail: string | null
}

export type LogFilter = {
  /** Who did it: a username in any case, or the name of the command line. */
  actor?: string | undefined
  action?: string | undefined
  /** The whole name of what it was done to, in any case, or several names of which any fits. */
  subject?: string | readonly string[] | undefined
}
