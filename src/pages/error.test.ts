import { expect, test } from 'vitest'
import { errorPage } from './error.ts'

test.each([
  [400, 'That did not make sense to us'],
  [429, 'A little too fast'],
  [503, 'Busy right now'],
  [418, 'That did not work'],
  [500, 'Something went wrong'],
])('a %i is titled %j and says why', (status, title) => {
  const document = errorPage({ nonce: 'n', status, message: 'Because <so>.' })
  expect(document).toContain(`<p class="eyebrow">${status}</p>`)
  expect(document).toContain(`<h1>${title}</h1>`)
  expect(document).toContain('Because &lt;so&gt;.')
})
