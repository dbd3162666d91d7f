/** A line of the admin log. */
export type LogLine = {
  id: number
  at: Date
  actor: string
  /** The action. It may be unknown to this program if a newer version has added it. */
  action: string
  subject: string
  detail: string | null
}

export type LogFilter = {
  /** The actor: an email address (ignoring case), or the name of the command line. */
  actor?: string | undefined
  action?: string | undefined
  /** One or more subjects, ignoring case. A line matches if it has one of them. */
  subject?: string | readonly string[] | undefined
}
