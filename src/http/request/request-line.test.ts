import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { hasSingleHost, readRequestTarget } from './request-line.ts'

test.each([
  ['/a?b=c', '/a?b=c', 'given'],
  ['//api/urls', '/api/urls', 'given'],
  ['//other/api/', '//other/api/', 'given'],
  ['//yourls-api.php?a=b', '/yourls-api.php?a=b', 'given'],
  ['//yourls-api.phpx', '//yourls-api.phpx', 'given'],
  ['*', '*', 'given'],
  ['http://other/api/urls?x=1', '/api/urls?x=1', 'other'],
  ['HTTPS://other:8443', '/', 'other:8443'],
  ['http://other?x=/api', '/?x=/api', 'other'],
  ['http://user@other/a', '/a', 'user@other'],
  ['ftp://other/a', 'ftp://other/a', 'given'],
])('the request line %s requests %s from the host %s', (url, target, host) => {
  const request = { url, headers: { host: 'given' } }
  expect(readRequestTarget(request)).toBe(target)
  expect(request.headers.host).toBe(host)
})

test.each([
  ['1.1', ['Host', 'a'], true],
  ['1.1', ['Accept', '*/*', 'hOST', 'a'], true],
  ['1.1', ['Accept', 'Host'], false],
  ['1.1', ['Host', 'a', 'Host', 'a'], false],
  ['1.0', [], true],
  ['1.0', ['Host', 'a', 'host', 'b'], false],
])('HTTP/%s with the headers %j names one host: %s', (httpVersion, rawHeaders, expected) => {
  expect(hasSingleHost({ httpVersion, rawHeaders } as IncomingMessage)).toBe(expected)
})
