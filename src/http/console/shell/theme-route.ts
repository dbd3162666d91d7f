import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseConsolePath } from '../kit/query.ts'
import { formFor } from '../kit/roles.ts'
import { readFields } from './send.ts'
import { parseTheme, THEME_COOKIE } from './theme.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Registers the route that stores the theme in a cookie and redirects back to the page. */
export function registerThemeRoute(app: FastifyInstance): void {
  app.post('/theme', formFor('viewer'), async (request, reply) => {
    const { theme } = readFields(request.body, ['theme'])
    reply.setCookie(THEME_COOKIE, parseTheme(theme), {
      path: '/console',
      maxAge: YEAR_SECONDS,
      httpOnly: true,
      sameSite: 'lax',
      secure: request.protocol === 'https',
    })
    return reply.redirect(parseConsolePath(readRefererPath(request)) ?? '/console', 303)
  })
}

/** Returns the path and query of the page that contained the form, if the browser sent its URL. */
function readRefererPath({ headers }: FastifyRequest): string | undefined {
  const url = URL.parse(headers.referer ?? '')
  return url ? url.pathname + url.search : undefined
}
