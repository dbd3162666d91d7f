import type { PageContext } from './language.ts'

/** The context of a page in a test that looks at nothing of it. */
export const english: PageContext = { nonce: 'n', language: 'en' }
