import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const TABLES = 'links|link_tags|link_pixels'
const WRITE = new RegExp(
  `(?:updateTable|deleteFrom|insertInto)\\('(?:${TABLES})'\\)|` +
    `\\b(?:update|delete from|insert into) (?:${TABLES})\\b`,
  'gi',
)

/**
 * Every statement that writes links, their tags, or their pixels. A new statement must take a
 * `RecordedTx`, so that its changes become versions, or have a reason not to.
 */
const STATEMENTS: Record<string, string[]> = {
  'src/links/insert-links.queries.ts': ['a new link, whose row is its first version'],
  'src/links/fields/link-parts.queries.ts': [
    'addPixels: new links, and beside removePixels',
    'removePixels: RecordedTx',
  ],
  'src/links/link.queries.ts': ['changeColumns: RecordedTx'],
  'src/links/changes/bulk-links.queries.ts': ['updateEach: RecordedTx'],
  'src/links/changes/trash.queries.ts': ['moveToTrash: RecordedTx', 'moveFromTrash: RecordedTx'],
  'src/links/link-moderation.ts': ['setLinkStatus: RecordedTx'],
  'src/links/link-uses.queries.ts': [
    'markUsedUp: no field of a link',
    'applyLimit: beside a change of the limit',
  ],
  'src/links/visit/password-guesses.queries.ts': ['replaceHash: the same password, hashed again'],
  'src/links/remove-links.queries.ts': [
    'a deletion, which deletes the versions',
    'links in the trash, whose alias a new link gets',
  ],
  'src/resources/bio-buttons.ts': ['the link behind a button of a bio page, which is never listed'],
  'src/qr/code-link.queries.ts': ['the link behind a QR code, which is never listed'],
  'src/tags/link-tags.queries.ts': [
    'addTags: RecordedTx, or new links',
    'clearTags: RecordedTx',
    'removeTags: RecordedTx',
  ],
}

test('every statement that changes links records versions or is listed with a reason', async () => {
  const found: Record<string, number> = {}
  for await (const file of glob('src/**/*.ts')) {
    const text = await readFile(file, 'utf8')
    const writes = text.match(WRITE)
    if (writes) found[file] = writes.length
  }
  const known = Object.entries(STATEMENTS).map(([file, reasons]) => [file, reasons.length])
  expect(found).toEqual(Object.fromEntries(known))
})
