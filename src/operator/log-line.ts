/** A line of the admin log. */
export type LogLine = {
  id: number
  at: Date
  actor: string
  /** The action. A newer program may have added actions that this one does not know. */
  action: string
  subject: string
  detail: string | null
}

export type LogFilter = {
  /** The actor: a username in any case, or the name of the command line. */
  actor?: string | undefined
  action?: string | undefined
  /** The complete subject in any case, or several alternatives. */
  subject?: string | readonly string[] | undefined
}
