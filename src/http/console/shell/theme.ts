import type { FastifyRequest } from 'fastify'

export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

/** The cookie that keeps the theme of a browser. */
export const THEME_COOKIE = 'brevis_theme'

/** Returns the theme that this browser has chosen. */
export function themeOf(request: FastifyRequest): Theme {
  const value = request.server.parseCookie(request.headers.cookie ?? '')[THEME_COOKIE]
  return readTheme(value)
}

/** Returns the named theme, or that of the system for any other text. */
export function readTheme(name: string | undefined): Theme {
  return themes.find((theme) => theme === name) ?? 'system'
}
