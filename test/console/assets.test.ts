import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { linkPageTest } from '../support/link-page.ts'

const test = linkPageTest()

const COMMON = ['copy.js', 'keys.js', 'page.js', 'palette.js']

/** Pages with the scripts that they have in addition to the common ones. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  '/console': ['live.js'],
  '/console/links': ['select.js', 'filters.js', 'ask.js'],
  '/console/links/trash': [],
  '/console/analytics': ['tabs.js', 'live.js', 'live-clicks.js'],
  '/console/links/new': [
    'answers.js',
    'tags.js',
    'fetch-title.js',
    'rows.js',
    'reorder.js',
    'rules.js',
    'card.js',
    'saving.js',
  ],
  '/console/bios/new': ['reorder.js', 'rows.js', 'preview.js'],
  '/console/codes/new': ['preview.js', 'files.js'],
  '/console/settings': ['time-zone.js'],
}

test.for(Object.entries(SCRIPTS))(
  '%s has one stylesheet and the scripts of its elements',
  async ([path, scripts], { make, owner, person, request }) => {
    await make.link(owner)
    const { body } = await person.open(path)
    const urls = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+\.(?:css|js))"/g)]
    const names = urls.map(([, url = '']) => url.slice(url.lastIndexOf('/') + 1))
    expect(names[0]).toBe('console.css')
    expect(names.slice(1).toSorted()).toEqual([...COMMON, ...scripts].toSorted())
    for (const [, url = ''] of urls) {
      const { statusCode, headers } = await request({ url })
      expect([url, statusCode, headers['cache-control']]).toEqual([
        url,
        200,
        'public, max-age=31536000, immutable',
      ])
    }
  },
)

test('files are sent in the best encoding that a browser accepts', async ({ person, request }) => {
  const { body } = await person.open('/console')
  const url = /href="(\/console\/assets\/[^"]+\.css)"/.exec(body)?.[1] ?? ''
  const load = (accepted: string) => request({ url, headers: { 'accept-encoding': accepted } })
  const plain = await load('')
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding' })
  expect(plain.headers['content-encoding']).toBeUndefined()
  for (const [accepted, encoding, decode] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['br;q=0.0, gzip', 'gzip', gunzipSync],
  ] as const) {
    const reply = await load(accepted)
    expect([accepted, reply.headers['content-encoding']]).toEqual([accepted, encoding])
    expect(String(decode(reply.rawPayload))).toBe(plain.body)
    expect(reply.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
  }
  const other = await load('identity, xbr')
  expect([other.headers['content-encoding'], other.body]).toEqual([undefined, plain.body])
})
