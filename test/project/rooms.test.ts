import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../src')
const IMPORT = /\b(?:from|import\() *'(?<path>\.[^']+)'/g

/**
 * Files beside each other in a room are its doors. Its folders are private, except for these files.
 * Whatever other rooms need of a folder becomes a door rather than an entry here.
 */
const DOORS_IN_FOLDERS = new Set([
  'identity/oauth/authorization-server.ts',
  'identity/oidc/identity.queries.ts',
  'identity/oidc/oidc-settings.ts',
  'identity/oidc/provider.ts',
  'identity/oidc/sign-in.service.ts',
  'identity/second-factor/change-factor.ts',
  'identity/second-factor/one-time-codes.service.ts',
  'identity/second-factor/passkeys.service.ts',
  'identity/second-factor/second-factor.service.ts',
  'identity/second-factor/second-factor.ts',
  'identity/second-factor/second-step.service.ts',
  'links/check/check-links.ts',
  'links/check/link-check.queries.ts',
  'links/check/verdict.ts',
  'links/rules/conditions.ts',
  'links/rules/expiry.ts',
  'links/rules/lengths.ts',
  'links/rules/rule.ts',
  'links/share-images/share-image.service.ts',
  'links/share-images/share-images.ts',
  'links/store/compare.ts',
  'links/store/database-feed.ts',
  'links/store/entries.queries.ts',
  'links/store/feed.ts',
  'links/store/follower.ts',
  'links/store/store-file.ts',
  'links/store/store-reader.ts',
  'links/store/stored-instance.ts',
  'links/versions/snapshot.ts',
  'links/versions/version.service.ts',
  'pages/docs/frame.ts',
  'pages/docs/openapi.ts',
  'pages/docs/pages.ts',
  'pages/docs/samples.ts',
  'qr/content/payload.ts',
  'qr/content/read-payload.ts',
  'qr/drawing/caption-font.ts',
  'qr/drawing/color.ts',
  'qr/drawing/matrix.ts',
  'qr/drawing/render-svg.ts',
  'qr/drawing/style.ts',
  'transfer/read/csv-columns.ts',
  'transfer/read/csv.ts',
  'transfer/read/file.ts',
  'transfer/read/moment.ts',
  'transfer/write/csv.ts',
])

const files = (await readdir(SOURCE, { recursive: true })).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
)

/** Returns the room of a file: its folder in `src`, or '' for files beside the rooms. */
const roomOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '')

const allImports = (
  await Promise.all(
    files.map(async (from) =>
      [...(await readFile(join(SOURCE, from), 'utf8')).matchAll(IMPORT)].map((match) => ({
        from,
        to: normalize(join(dirname(from), match.groups?.path ?? '')),
      })),
    ),
  )
).flat()

/** The imports between rooms. */
const imports = allImports.filter(
  ({ from, to }) => !to.startsWith('..') && roomOf(from) !== roomOf(to),
)

test('the program imports only texts from outside of src', () => {
  expect(allImports.filter(({ to }) => /^\.\.\/(?!locales\/)/.test(to))).toEqual([])
})

test('no two rooms import each other', () => {
  const pairs = new Set(imports.map(({ from, to }) => `${roomOf(from)} > ${roomOf(to)}`))
  const mutual = imports
    .filter(({ from, to }) => roomOf(from) !== '' && roomOf(to) !== '')
    .filter(({ from, to }) => pairs.has(`${roomOf(to)} > ${roomOf(from)}`))
  expect(imports.length).toBeGreaterThan(500)
  expect(mutual).toEqual([])
})

test('folders inside rooms are private, except for their doors', () => {
  const inFolders = imports.filter(({ to }) => to.split('/').length > 2)
  const opened = new Set(inFolders.map(({ to }) => to))
  expect([...opened].filter((file) => !DOORS_IN_FOLDERS.has(file)).sort()).toEqual([])
  expect([...DOORS_IN_FOLDERS].filter((file) => !opened.has(file)).sort()).toEqual([])
})
