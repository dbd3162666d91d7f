/** Options for the route of a page. It supports HEAD and is not part of the OpenAPI description. */
export const pageRoute = {
  method: ['GET', 'HEAD'] as ('GET' | 'HEAD')[],
  schema: { hide: true },
}
