import { expect } from 'vitest'
import { linkPageTest } from '../support/link-page.ts'

const test = linkPageTest()

const COMMON = ['copy.js', 'keys.js', 'palette.js']

/** Pages with the scripts that they have in addition to the common ones. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  '/console': [],
  '/console/links': ['select.js', 'filters.js', 'ask.js'],
  '/console/links/trash': [],
  '/console/analytics': ['link-keys.js', 'tabs.js', 'live.js', 'live-clicks.js'],
  '/console/links/new': [
    'alias.js',
    'tags.js',
    'assist.js',
    'rows.js',
    'reorder.js',
    'rules.js',
    'card.js',
    'saving.js',
  ],
  '/console/bios/new': ['reorder.js', 'order.js', 'preview.js'],
  '/console/codes/new': ['preview.js', 'codes.js'],
  '/console/settings': ['time-zone.js'],
}

test.for(Object.entries(SCRIPTS))(
  '%s has one stylesheet and the scripts of its elements',
  async ([path, scripts], { make, owner, person, request }) => {
    await make.link(owner)
    const { body } = await person.open(path)
    const urls = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+\.(?:css|js))"/g)]
    const names = urls.map(([, url = '']) => url.slice(url.lastIndexOf('/') + 1))
    expect(names).toEqual(['console.css', ...COMMON, ...scripts])
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
