import type { PageContext } from './texts.ts'

/** A page context for tests in which it does not matter. */
export const english: PageContext = { nonce: 'n', language: 'en' }
