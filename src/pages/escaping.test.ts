import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { english } from '../../test/fixtures/english.ts'
import { contentPages } from '../../test/fixtures/every-page.ts'

const names = Object.keys(contentPages)
const render = (name: string, text: string, url: string) =>
  contentPages[name]?.(english, text, url) ?? ''

describe('external content', () => {
  test.each(names)('does not change the markup of %s', (name) => {
    const hostileText = fc.string({
      unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', '\n', '</script>', 'x'),
      minLength: 1,
    })
    const plain = extractMarkup(render(name, 'plain', 'https://example.com/plain'))
    fc.assert(
      fc.property(hostileText, hostileText, (text, tail) => {
        // The URL standard allows both quotes in a host.
        const url = `https://quo"te's.example/${tail}?${tail}#${tail}`
        expect(extractMarkup(render(name, text, url))).toBe(plain)
      }),
    )
  })

  test.each(names)('adds only http URLs to %s', (name) => {
    const urls = [
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      '//evil.example',
    ]
    for (const url of urls) {
      const document = render(name, 'plain', url)
      expect(document).not.toMatch(/(href|src|action|content)="[^"]*(script:|data:|\/\/evil)/)
    }
  })
})

/** Returns the markup characters, which come only from templates if everything else is escaped. */
function extractMarkup(document: string): string {
  return document.replace(/[^<>"']/g, '')
}
