import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LANGUAGES, type UserLanguage } from '../../people/user-settings.ts'
import { matchLanguage } from '../../visitors/language.ts'

/** The language of a request. It changes when the user is identified. */
export type Locale = { language: UserLanguage }

declare module 'fastify' {
  interface FastifyRequest {
    /** The language of the page. The guard sets it to the user's language. */
    locale: Locale
  }
}

const tags = Object.keys(LANGUAGES) as UserLanguage[]
const storage = new AsyncLocalStorage<Locale>()

/** Returns the language of the page that is being rendered. English outside of requests. */
export function getLanguage(): UserLanguage {
  return storage.getStore()?.language ?? 'en'
}

/** Runs a function that renders texts in a language. */
export function runIn<Result>(locale: Locale, render: () => Result): Result {
  return storage.run(locale, render)
}

/** Lets the texts of all routes follow `Accept-Language`, until a user's setting replaces it. */
export function followLanguage(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.locale = { language: negotiateLanguage(request) }
    runIn(request.locale, done)
  })
  // Events of a request body arrive outside of the context.
  app.addHook('preValidation', (request, _reply, done) => runIn(request.locale, done))
}

/** Returns a function that creates a value once per language, such as a slow formatter. */
export function memoizePerLanguage<Value>(make: (language: UserLanguage) => Value): () => Value {
  const known = new Map<UserLanguage, Value>()
  return () => {
    const language = getLanguage()
    const value = known.get(language) ?? make(language)
    known.set(language, value)
    return value
  }
}

function negotiateLanguage({ headers }: FastifyRequest): UserLanguage {
  return tags[matchLanguage(tags, headers['accept-language'])] ?? 'en'
}
