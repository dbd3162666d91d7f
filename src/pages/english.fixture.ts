import type { PageContext } from './language.ts'

/** A page context for tests that do not depend on it. */
export const english: PageContext = { nonce: 'n', language: 'en' }
