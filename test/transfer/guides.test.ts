import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { createFile, createTransferCommands, transferTest } from '../support/transfer.ts'

const test = transferTest()

test.for([
  { source: 'yourls', clicks: 1204, statuses: { ozh: 302, spring: 302 } },
  { source: 'kutt', clicks: 1207, statuses: { draft: 200, spam: 410, summer: 302 } },
  { source: 'shlink', clicks: 1204, statuses: { autumn: 302, 'blog/post': 302 } },
  { source: 'bitly', clicks: 1221, statuses: { '3xAbCdE': 302, '3xFgHiJ': 302, winter: 302 } },
])(
  'the file in the guide for $source is imported completely',
  async ({ source, clicks, statuses }, { app, make, request, listUrls }) => {
    const owner = await make.owner()
    const transfer = createTransferCommands(app, owner)
    const file = await createFile(readSample(`from-${source}.md`))
    const created = Object.keys(statuses).length
    const counts = { created, clicks, refused: 0, taken: 0, notices: [], unused: [] }
    expect(await transfer.import(file, 'csv', '--dry-run')).toMatchObject(counts)
    expect(await listUrls(owner)).toEqual([])

    expect(await transfer.import(file, 'csv')).toMatchObject(counts)
    const links: { alias: string; clicks: number }[] = await listUrls(owner)
    const visits = links.map(async ({ alias }) => {
      const { statusCode } = await request({ url: `/${alias}` })
      return [alias, statusCode] as const
    })
    expect(Object.fromEntries(await Promise.all(visits))).toEqual(statuses)
    expect(links).toContainEqual(
      expect.objectContaining({ title: expect.stringMatching(/^\w+ sale$/), clicks: 1204 }),
    )
  },
)

test('visitors enter the passwords of Kutt', async ({ app, make, request }) => {
  const owner = await make.owner()
  const sample = readSample('from-kutt.md').replaceAll(/^(?=[a-z]+,)(?!address)/gm, 'other-')
  await createTransferCommands(app, owner).import(await createFile(sample), 'csv')
  const reply = await request({
    method: 'POST',
    url: '/other-draft',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'password=secret',
  })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, 'https://shop.example/draft'])
})

/** Returns the sample file in a guide. */
function readSample(guide: string): string {
  const text = readFileSync(new URL(`../../docs/${guide}`, import.meta.url), 'utf8')
  const [, indent = '', lines] = /^( *)```[ct]sv\n([\s\S]*?)^ *```$/m.exec(text) ?? []
  if (lines === undefined) throw new Error(`${guide} has no sample file`)
  return lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}
