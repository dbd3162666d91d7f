import { describe, expect, test } from 'vitest'
import { BROWSERS, LESSER_BROWSERS } from '../../test/fixtures/browser-headers.ts'
import { lacksBrowserHeaders, namesFullBrowser } from './automated.ts'

const CHROME = BROWSERS[0]?.headers['user-agent'] ?? ''
const https = (headers: Record<string, string>) => ({ headers, protocol: 'https' })

describe('a request', () => {
  test.for(BROWSERS)('of $name has the headers of browsers', ({ headers }) => {
    expect(lacksBrowserHeaders(https(headers))).toBe(false)
  })

  test('over https with neither Accept-Language nor Sec-Fetch-* lacks them', () => {
    expect(lacksBrowserHeaders(https({ 'user-agent': CHROME }))).toBe(true)
    expect(lacksBrowserHeaders(https({ 'user-agent': CHROME, 'accept-language': '' }))).toBe(true)
  })

  test.for(['accept-language', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'])(
    'with %s alone does not lack them',
    (name) => {
      expect(lacksBrowserHeaders(https({ [name]: 'x' }))).toBe(false)
    },
  )

  test('over http is never known to lack them', () => {
    expect(lacksBrowserHeaders({ headers: {}, protocol: 'http' })).toBe(false)
  })
})

describe('a User-Agent', () => {
  test.for(BROWSERS)('of $name is one that always comes with all headers', ({ headers }) => {
    expect(namesFullBrowser(headers['user-agent'] ?? '')).toBe(true)
  })

  test.for(LESSER_BROWSERS)('of $name may come without them', ({ headers }) => {
    expect(namesFullBrowser(headers['user-agent'] ?? '')).toBe(false)
  })

  test.for([
    ['the first version of Chrome', CHROME.replace('150', '80'), true],
    ['an app on top of Chrome', `${CHROME} Slack/4.40.0`, false],
    ['headless Chrome', CHROME.replace('Chrome', 'HeadlessChrome'), false],
    ['a television', CHROME.replace('Macintosh; Intel Mac OS X 10_15_7', 'Web0S; Linux'), false],
    ['a tool', 'curl/8.5.0', false],
    ['nobody', '', false],
    ['a number that is no version', CHROME.replace('150', '15000'), false],
  ] as const)('of %s', ([_name, userAgent, expected]) => {
    expect(namesFullBrowser(userAgent)).toBe(expected)
  })

  test('of Safari counts from 16.4 on, by both numbers', () => {
    const safari = (version: string) =>
      namesFullBrowser(
        `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version} Safari/605.1.15`,
      )
    expect(['15.6', '16.3', '16.4', '16.10', '17.0'].map(safari)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
  })
})
