import { expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { bioPage } from './bio.ts'

test('a bio page shows the title, the text, the initials and the links', () => {
  const document = bioPage({
    ...english,
    title: 'Ada Lovelace',
    text: 'Engines\n& numbers',
    links: [{ title: 'My <book>', url: 'https://example.com/book' }],
  })
  expect(document).toContain('<h1 dir="auto">Ada Lovelace</h1>')
  expect(document).toContain('Engines\n&amp; numbers</p>')
  expect(document).toContain('>AL</text></svg>')
  expect(document).toContain('href="https://example.com/book"><strong dir="auto">My &lt;book&gt;<')
  expect(document).not.toContain('noindex')
})

test('a bio page works without text and links', () => {
  const document = bioPage({ ...english, title: 'Ada', links: [] })
  expect(document).not.toContain('<ul')
  expect(document).not.toContain('class="soft text"')
})

test.each([
  ['https://www.instagram.com/ada', true],
  ['https://m.youtube.com/@ada', true],
  ['https://mastodon.example/@ada', true],
  ['https://notinstagram.com/ada', false],
  ['https://example.com/instagram.com', false],
  ['https://com/', false],
])('a button to %s shows the logo of its network: %s', (url, isShown) => {
  const document = bioPage({ ...english, title: 'Ada', links: [{ title: 'Follow', url }] })
  expect(document.includes('<svg class="network"')).toBe(isShown)
})
