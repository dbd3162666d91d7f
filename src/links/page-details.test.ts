import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../test/support/http-server.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { fetchPageDetails, readPageDetails } from './page-details.ts'

test.each([
  ['<title>A page</title>', 'A page', ''],
  ['<TITLE lang=en>\n A \n page </TITLE>', 'A page', ''],
  ['<title>Old</title><meta property="og:title" content="New">', 'New', ''],
  ["<meta content='A &amp; b' name='description'><title>x</title>", 'x', 'A & b'],
  ['<meta name=description content=word><meta property=og:description content=og>', '', 'og'],
  [
    '<title>&lt;b&gt; caf&eacute; &#233;&#xE9; &nope; &#0;</title>',
    '<b> café éé &nope; \uFFFD',
    '',
  ],
  ['<!-- <title>No</title> --><script>"<title>No</title>"</script><title>Yes</title>', 'Yes', ''],
  ['<svg><title>Icon</title></svg><title>Page</title>', 'Page', ''],
  ['<title>not closed', '', ''],
  ['', '', ''],
  [`<title>${'x'.repeat(600)}</title>`, 'x'.repeat(512), ''],
])('from %s, the title %j and the description %j are read', async (html, title, description) => {
  expect(await readPageDetails(html)).toEqual({ title, description })
})

test('the details of any text are valid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
      const { title } = await readPageDetails(`<title>${text}</title>`)
      expect(title.isWellFormed() && !title.includes('\0') && [...title].length <= 512).toBe(true)
    }),
  )
})

const EMPTY = { title: '', description: '' }

test('the details of a page of unclosed tags are empty', async () => {
  for (const tag of [
    '<title>',
    '<meta ',
    '<meta x>',
    '<meta content="',
    '<!--',
    '<script',
    '<svg>',
    '<a></b>',
    '&#',
    ' ',
  ]) {
    expect(await readPageDetails(tag.repeat(20_000))).toEqual(EMPTY)
  }
})

test.each([
  ['<head></head><title>In the body</title>'],
  ['<body><meta name=description content=text><title>In the body</title>'],
  [`<title>Behind 64 kB</title>`.padStart(65_536 + 20)],
])('only the head and 64 kB are read: %#', async (html) => {
  const { origin, close } = await startServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html)
  })
  onTestFinished(close)
  const outbound = createGuardedFetch({ allow: ['127.0.0.0/8'] })
  onTestFinished(outbound.close)
  expect(await fetchPageDetails({ outbound }, 1, `${origin}/`)).toEqual(EMPTY)
})
