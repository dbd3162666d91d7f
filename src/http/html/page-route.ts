/** Options of a page route: it also answers HEAD and is not part of the API description. */
export const pageRoute = {
  method: ['GET', 'HEAD'] as ('GET' | 'HEAD')[],
  schema: { hide: true },
}
