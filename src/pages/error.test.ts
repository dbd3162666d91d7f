import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { errorPage } from './error.ts'

test.each([
  [400, 'malformed_request', 'Bad request'],
  [403, 'registration_closed', 'Sign-ups are closed'],
  [403, 'forbidden', 'Not allowed'],
  [429, 'rate_limited', 'Too many requests'],
  [503, 'busy', 'Temporarily unavailable'],
  [431, 'headers_too_large', 'Request failed'],
  [500, 'internal', 'Something went wrong'],
] as const)('the page for status %i and code %s has the title %j', (status, code, title) => {
  const document = errorPage({ ...english, status, code })
  expect(document).toContain(`<p class="eyebrow">${status}</p>`)
  expect(document).toContain(`<h1>${title}</h1>`)
})

test('the error page shows a custom message', () => {
  const error = { status: 400, code: 'invalid_input', message: 'Use <b>.' } as const
  expect(errorPage({ ...english, ...error })).toContain('Use &lt;b&gt;.')
})
