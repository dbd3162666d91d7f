export type SplashEntry = { id: number; name: string; createdAt: Date }

/** A page that visitors of a link see before its destination. */
export type SplashPage = SplashEntry & {
  title: string
  message: string
  image: string | null
  link: string | null
  /** The seconds after which the page redirects. With 0 or null, it waits for the visitor. */
  seconds: number | null
}
