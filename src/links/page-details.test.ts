import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPageDetails } from './page-details.ts'

test.each([
  ['<title>A page</title>', 'A page', ''],
  ['<TITLE lang=en>\n A \n page </TITLE>', 'A page', ''],
  ['<title>Old</title><meta property="og:title" content="New">', 'New', ''],
  ["<meta content='A &amp; b' name='description'><title>x</title>", 'x', 'A & b'],
  ['<meta name=description content=word><meta property=og:description content=og>', '', 'og'],
  [
    '<title>&lt;b&gt; caf&eacute; &#233;&#xE9; &nope; &#0;</title>',
    '<b> caf&eacute; éé &nope;',
    '',
  ],
  ['<!-- <title>No</title> --><script>"<title>No</title>"</script><title>Yes</title>', 'Yes', ''],
  ['<svg><title>Icon</title></svg><title>Page</title>', 'Page', ''],
  ['<title>not closed', '', ''],
  ['', '', ''],
  [`<title>${'x'.repeat(600)}</title>`, 'x'.repeat(512), ''],
])('from %s, the title %j and the description %j are read', (html, title, description) => {
  expect(readPageDetails(html)).toEqual({ title, description })
})

test('the details of any text are valid', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const { title } = readPageDetails(`<title>${text}</title>`)
      expect(title.isWellFormed() && !title.includes('\0') && [...title].length <= 512).toBe(true)
    }),
  )
})

test('the details of a page of unclosed tags are empty', () => {
  for (const tag of [
    '<title>',
    '<meta ',
    '<meta content="',
    '<!--',
    '<script',
    '<svg>',
    '&#',
    ' ',
  ]) {
    expect(readPageDetails(tag.repeat(200_000))).toEqual({ title: '', description: '' })
  }
})
