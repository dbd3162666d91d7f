import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { createPixelVendors } from './pixel-vendors.ts'

/** Creates a file with this content for the duration of the test. */
function createFile(content: string): string {
  const folder = mkdtempSync(join(scratchFolder(), 'brevis-pixels-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'pixels.json')
  writeFileSync(file, content)
  return file
}

test('a vendor file has a URL, or a URL and a name, per type', () => {
  const file = createFile(
    JSON.stringify({
      vendor01pixel: 'https://one.example/?id={tag}',
      vendor02pixel: { name: ' Two Ads ', url: 'https://two.example/{tag}/{tag}' },
    }),
  )
  const { listPixelUrls, getName } = createPixelVendors(file)
  const types = ['vendor01pixel', 'vendor02pixel', 'vendor03pixel']
  expect(types.map(getName)).toEqual(['vendor01pixel', 'Two Ads', 'vendor03pixel'])
  expect(listPixelUrls(types.map((type) => ({ type, tag: 'a:b' })))).toEqual([
    'https://one.example/?id=a%3Ab',
    'https://two.example/a%3Ab/a%3Ab',
  ])
})

test('without a vendor file, no pixels are requested', () => {
  const { listPixelUrls, getName } = createPixelVendors(undefined)
  expect(listPixelUrls([{ type: 'vendor01pixel', tag: 'x' }])).toEqual([])
  expect(getName('vendor01pixel')).toBe('vendor01pixel')
})

test.each([
  ['{', 'cannot be read'],
  ['{"a": "ftp://x.example/"}', 'a is not a URL'],
  ['{"a": null}', 'a is not a URL'],
  ['{"a": {"name": "A"}}', 'a is not a URL'],
  ['{"a": {"name": " ", "url": "https://x.example/"}}', 'the name of a must be'],
  ['{"a": {"name": 5, "url": "https://x.example/"}}', 'the name of a must be'],
])('the vendor file %s is rejected', (content, message) => {
  const file = createFile(content)
  expect(() => createPixelVendors(file)).toThrow(`PIXELS_FILE ${file}`)
  expect(() => createPixelVendors(file)).toThrow(message)
})
