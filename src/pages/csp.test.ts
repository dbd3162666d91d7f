import { describe, expect, test } from 'vitest'
import { contentSecurityPolicy, originsOf } from './csp.ts'

describe('contentSecurityPolicy', () => {
  test('allows only styles and scripts with the nonce, and our own images', () => {
    expect(contentSecurityPolicy({ nonce: 'abc+/12==' }).split('; ')).toEqual([
      "default-src 'none'",
      "style-src 'nonce-abc+/12=='",
      "script-src 'nonce-abc+/12=='",
      "img-src 'self' data:",
      "frame-src 'none'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
  })

  test('allows the style by hash and no scripts on a static page', () => {
    const policy = contentSecurityPolicy({ styleHash: 'abc+/12=' }).split('; ')
    expect(policy).toContain("style-src 'sha256-abc+/12='")
    expect(policy).toContain("script-src 'none'")
  })

  test('adds a page’s additional sources', () => {
    const policy = contentSecurityPolicy({
      nonce: 'abc',
      connectSrc: ["'self'"],
      frameSrc: ['https:'],
      imgSrc: ['https://a.example', 'https://a.example'],
      formAction: ["'self'", 'https:'],
    }).split('; ')
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain('frame-src https:')
    expect(policy).toContain("img-src 'self' data: https://a.example")
    expect(policy).toContain("form-action 'self' https:")
  })

  test.each(['https://a;sandbox', 'a b', 'a,b', ''])('rejects the source %j', (source) => {
    expect(() => contentSecurityPolicy({ nonce: 'abc', imgSrc: [source] })).toThrow(TypeError)
  })

  test.each(["a'; script-src *", '', 'a b'])('rejects the nonce or hash %j', (nonce) => {
    expect(() => contentSecurityPolicy({ nonce })).toThrow(TypeError)
    expect(() => contentSecurityPolicy({ styleHash: nonce })).toThrow(TypeError)
  })
})

describe('originsOf', () => {
  test('returns distinct origins', () => {
    const urls = ['https://a.example/1.png', 'https://a.example/2.png', 'http://[::1]:8080/x']
    expect(originsOf(urls)).toEqual(['https://a.example', 'http://[::1]:8080'])
  })

  test('skips origins that are not http or would end the directive', () => {
    const urls = ['https://a;sandbox/', 'https://a,b/', 'data:image/png,x', 'nonsense', undefined]
    expect(originsOf(urls)).toEqual([])
  })
})
