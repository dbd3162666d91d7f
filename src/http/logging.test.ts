import { expect, test } from 'vitest'
import { maskPath } from './logging.ts'

const key = `brv_${'k'.repeat(42)}`

/**
 * Returns a percent-encoded `b` whose last digit is percent-encoded again `times` times. Each round
 * of decoding undoes one of them.
 */
function createNestedEscape(times: number): string {
  return `%6${'%3'.repeat(times)}2`
}

test.each([
  ['/api/urls?short=secret', '/api/urls'],
  ['/api/v10/x', '/api/v10/x'],
  ['/my-link', '/my-link'],
  ['/%zz', '/%zz'],
  ['/100%25', '/100%25'],
  ['/caf%25C3%25A9', '/caf%25C3%25A9'],
  [`/${'a'.repeat(300)}`, `/${'a'.repeat(255)}`],
])('the path %s is logged as %s', (url, logged) => {
  expect(maskPath(url)).toBe(logged)
})

test.each([
  `/api/v1/${key}/shorturl/create/password/secret/url/aA==.json`,
  `//api/v1/${key}/shorturl/create/password/secret/url/aA==.json`,
  `/API/V1/${key}/shorturl/info`,
  `/api//v1/${key}/secret`,
  `/%61pi/v%31/${key}/%73horturl/create/password/secret`,
  `/short/api/v1/secret`,
  `/v1/secret/shorturl/info`,
  `/shorturl/create/password/secret`,
  `/my-link/${key}`,
  `/console/reset-password/${'t'.repeat(43)}`,
  `/console/reset%2Dpassword/${'t'.repeat(43)}`,
  `/console/unsubscribe/${'t'.repeat(43)}`,
  `/shared/${'t'.repeat(43)}`,
  `/my-link/brv%5F${key.slice(4)}`,
  `/api/v1/${key}/%zz/secret`,
  `/my-link/%2562rv_${key.slice(4)}`,
  `/api/v1/%2562rv_${key.slice(4)}`,
  `/my-link/%${'25'.repeat(5000)}62rv_${key.slice(4)}`,
  `/my-link/%%36%32rv_${key.slice(4)}`,
  `/my-link/${key.replace('_', '%25255F')}`,
  `/%2561pi/v%252531/secret/shorturl/info`,
  `/api%252Fv1%252Fsecret`,
  `/${createNestedEscape(100)}rv_${key.slice(4)}`,
])('secrets in the path %s are not logged', (url) => {
  expect(maskPath(url)).toMatch(/^\/(api\/v1\/)?…$/)
})
