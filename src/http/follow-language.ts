import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LANGUAGES, type Locale, runWithLocale, type UserLanguage } from '../texts.ts'
import { matchLanguage } from '../visitors/language.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The language of the page. The guard sets it to the user's language. */
    locale: Locale
  }
}

const languageTags = Object.keys(LANGUAGES) as UserLanguage[]

/** Makes the texts of all routes follow `Accept-Language`, until a user's setting replaces it. */
export function followLanguage(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { siteName } = request.server
    request.locale = { language: negotiateLanguage(request), siteName }
    runWithLocale(request.locale, done)
  })
  // The body is read outside of the context that `onRequest` created.
  app.addHook('preValidation', (request, _reply, done) => runWithLocale(request.locale, done))
}

function negotiateLanguage({ headers }: FastifyRequest): UserLanguage {
  return languageTags[matchLanguage(languageTags, headers['accept-language'])] ?? 'en'
}
