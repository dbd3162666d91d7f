import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pathWithin } from './path-within.ts'
import { fieldsOf } from './send.ts'
import { readTheme, THEME_COOKIE } from './theme.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Stores the theme in a cookie and redirects back to the page. */
export function themeRoute(app: FastifyInstance): void {
  app.post('/theme', { schema: { hide: true } }, async (request, reply) => {
    const { theme } = fieldsOf(request.body, ['theme'])
    reply.setCookie(THEME_COOKIE, readTheme(theme), {
      path: '/console',
      maxAge: YEAR_SECONDS,
      httpOnly: true,
      sameSite: 'lax',
      secure: request.protocol === 'https',
    })
    return reply.redirect(pathWithin(refererPath(request)) ?? '/console', 303)
  })
}

/** Returns the page that contained the form, if it can be opened by GET. */
function refererPath({ headers }: FastifyRequest): string | undefined {
  const url = URL.parse(headers.referer ?? '')
  return url ? url.pathname + url.search : undefined
}
