import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { noticePage } from './notice.ts'

const notice = { ...english, status: 418, title: 'A <title>', message: 'A & B' }

test('a notice page shows the status, the title and the message', () => {
  const document = noticePage(notice)
  expect(document).toContain('<p class="eyebrow">418</p>')
  expect(document).toContain('<h1>A &lt;title&gt;</h1>')
  expect(document).toContain('A &amp; B')
})

test('a notice page links to the home page only if requested', () => {
  expect(noticePage(notice)).not.toContain('<a ')
  expect(noticePage({ ...notice, hasHomeLink: true })).toContain('href="/"')
})
