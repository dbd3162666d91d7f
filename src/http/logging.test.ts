import { expect, test } from 'vitest'
import { maskPath } from './logging.ts'

const key = `brv_${'k'.repeat(42)}`

test.each([
  ['/api/urls?short=secret', '/api/urls'],
  ['/api/v10/x', '/api/v10/x'],
  ['/my-link', '/my-link'],
  ['/%zz', '/%zz'],
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
  `/my-link/brv%5F${key.slice(4)}`,
  `/api/v1/${key}/%zz/secret`,
])('nothing secret of the path %s is logged', (url) => {
  expect(maskPath(url)).toMatch(/^\/(api\/v1\/)?…$/)
})
