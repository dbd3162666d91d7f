import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LANGUAGES, type UserLanguage } from '../../people/user-settings.ts'
import { matchLanguage } from '../../visitors/language.ts'

/** The language of a request. It can change once the user is identified. */
export type Locale = { language: UserLanguage }

declare module 'fastify' {
  interface FastifyRequest {
    /** The language of the page. The guard sets it to the user's language. */
    locale: Locale
  }
}

const languageTags = Object.keys(LANGUAGES) as UserLanguage[]
const storage = new AsyncLocalStorage<Locale>()

/** Returns the language of the page that is being rendered. English outside of requests. */
export function getLanguage(): UserLanguage {
  return storage.getStore()?.language ?? 'en'
}

/** Runs a function in which texts have the language of `locale`. */
export function runWithLocale<Result>(locale: Locale, render: () => Result): Result {
  return storage.run(locale, render)
}

/** Makes the texts of all routes follow `Accept-Language`, until a user's setting replaces it. */
export function followLanguage(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.locale = { language: negotiateLanguage(request) }
    runWithLocale(request.locale, done)
  })
  // The body is read outside of the context that `onRequest` created.
  app.addHook('preValidation', (request, _reply, done) => runWithLocale(request.locale, done))
}

/** Returns a function that creates a value once per language, such as a slow formatter. */
export function memoizePerLanguage<Value>(create: (language: UserLanguage) => Value): () => Value {
  const values = new Map<UserLanguage, Value>()
  return () => {
    const language = getLanguage()
    const value = values.get(language) ?? create(language)
    values.set(language, value)
    return value
  }
}

function negotiateLanguage({ headers }: FastifyRequest): UserLanguage {
  return languageTags[matchLanguage(languageTags, headers['accept-language'])] ?? 'en'
}
