import type { FastifyRequest } from 'fastify'

export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

/** The cookie that stores the browser's theme. */
export const THEME_COOKIE = 'brevis_theme'

/** Returns the theme selected in this browser. The default is `system`. */
export function readTheme(request: FastifyRequest): Theme {
  const value = request.server.parseCookie(request.headers.cookie ?? '')[THEME_COOKIE]
  return parseTheme(value)
}

/** Returns the named theme, or `system` for any other name. */
export function parseTheme(name: string | undefined): Theme {
  return themes.find((theme) => theme === name) ?? 'system'
}
