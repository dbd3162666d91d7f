import { describe, expect, test } from 'vitest'
import { metaTags, refreshTag } from './meta.ts'

describe('metaTags', () => {
  test('renders every value as Open Graph and Twitter tags', () => {
    const meta = { title: 'T & U', description: 'D', image: 'https://example.com/i.png' }
    const tags = String(metaTags(meta, 'https://s.example/x'))
    expect(tags).toContain('<meta name="description" content="D">')
    expect(tags).toContain('<meta property="og:title" content="T &amp; U">')
    expect(tags).toContain('<meta property="og:description" content="D">')
    expect(tags).toContain('<meta property="og:image" content="https://example.com/i.png">')
    expect(tags).toContain('<meta property="og:url" content="https://s.example/x">')
    expect(tags).toContain('<meta name="twitter:card" content="summary_large_image">')
    expect(tags).toContain('<meta name="twitter:title" content="T &amp; U">')
    expect(tags).toContain('<meta name="twitter:image" content="https://example.com/i.png">')
  })

  test('skips missing and empty values, and images and URLs that are not http', () => {
    const tags = String(metaTags({ title: '', image: 'javascript:alert(1)' }, '/x'))
    expect(tags).not.toMatch(/title|description|image|og:url/)
    expect(tags).toContain('<meta name="twitter:card" content="summary">')
  })
})

describe('refreshTag', () => {
  test('redirects to the URL immediately', () => {
    expect(String(refreshTag(`https://example.com/?a=1;b='2'&c="`))).toBe(
      '<meta http-equiv="refresh" content="0;url=https://example.com/?a=1;b=%272%27&amp;c=%22">',
    )
  })

  test('renders nothing unless it is an http URL', () => {
    expect(refreshTag('javascript:alert(1)')).toBeNull()
  })
})
