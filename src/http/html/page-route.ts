/** A route that shows something: HEAD answers as GET does, and the API's description leaves it out. */
export const pageRoute = {
  method: ['GET', 'HEAD'] as ('GET' | 'HEAD')[],
  schema: { hide: true },
}
