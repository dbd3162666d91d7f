import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fieldsOf } from '../send.ts'
import { pathWithin } from './path-within.ts'
import { readTheme, THEME_COOKIE } from './theme.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Stores the theme in this browser, and shows the same page again. */
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

/** The page that the form was on; a page that a form has answered cannot be opened again. */
function refererPath({ headers }: FastifyRequest): string | undefined {
  const url = URL.parse(headers.referer ?? '')
  return url ? url.pathname + url.search : undefined
}
