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
  /** The subject (ignoring case), or a list of subjects, any of which matches. */
  subject?: string | readonly string[] | undefined
}
