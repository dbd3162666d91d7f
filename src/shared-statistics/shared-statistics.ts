/** What a public statistics page is about. */
export type SharedSubject = { kind: 'link' | 'campaign'; id: number }

export type SharedPage = {
  accountId: number
  subject: SharedSubject
  timeZone: string
}

/** Returns the path of a page. */
export function sharedPath(token: string): string {
  return `/shared/${token}`
}

/** Returns whether a text has the format of a token, which is 32 random bytes. */
export function isSharedToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}
