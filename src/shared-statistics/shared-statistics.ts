/** The link or campaign of a public statistics page. */
export type SharedSubject = { kind: 'link' | 'campaign'; id: number }

export type SharedPage = {
  accountId: number
  subject: SharedSubject
  timeZone: string
}

/** Returns the path of a page. */
export function toSharedPath(token: string): string {
  return `/shared/${token}`
}

/** Returns whether a text has the format of a token, which is 32 random bytes. */
export function isSharedToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}
