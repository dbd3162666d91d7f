import { expect, test } from 'vitest'
import { normalizeHost } from '../urls/host.ts'

test.each([
  ['Example.COM', 'example.com'],
  ['example.com.', 'example.com'],
  ['example.com:80', 'example.com'],
  ['example.com:443', 'example.com'],
  ['example.com:8080', 'example.com:8080'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['[::1]:3000', '[::1]:3000'],
  ['127.1', '127.0.0.1'],
  ['', ''],
  ['a b', ''],
  ['a/b', ''],
  ['user@example.com', ''],
  ['example.com#x', ''],
  ['example.com\\x', ''],
  ['example.com:99999', ''],
])('the host %j is normalized to %j', (header, host) => {
  expect(normalizeHost(header)).toBe(host)
})
