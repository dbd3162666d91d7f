import { expect } from 'vitest'
import type { Owner } from '../support/make.ts'
import { jsonl } from '../support/transfer.ts'
import { uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({}).extend(
  'importFile',
  ({ newUser, worker }) =>
    /** Imports a file into a new account. */
    async (content: string, name: string) => {
      const uploader = await newUser()
      const { person, upload } = uploader
      const url = String((await upload(content, {}, name)).headers.location)
      const { drain } = worker()
      await drain()
      await person.send(`${url}/start`)
      await drain()
      expect((await person.open(url)).body).toContain('Import finished.')
      return uploader
    },
)

/** Returns the aliases in a list, in order. */
function readAliases(body: string, prefix: string): string[] {
  const matches = body.matchAll(new RegExp(`/(${prefix}-[a-z]+)`, 'g'))
  return [...new Set(Array.from(matches, ([, alias = '']) => alias))]
}

test('lists sort imported and other links by creation date', async ({ app, make, importFile }) => {
  const content = [
    'Alias,Long URL,Created,Tags',
    'order-middle,https://example.com/,2024-05-01T00:00:00Z,both',
    'order-oldest,https://example.com/,2019-05-01T00:00:00Z,both',
    '',
  ].join('\n')
  const { owner, person } = await importFile(content, 'a.csv')
  await make.link(owner, { alias: 'order-newest' })
  const older = 'order-ancient,https://example.com/,2018-05-01T00:00:00Z,both'
  const fields = { kind: 'csv', onTaken: 'skip', go: 'import' }
  const pastedContent = `Alias,Long URL,Created,Tags\n${older}\n`
  await person.send('/console/import', { ...fields, content: pastedContent })

  const newestFirst = ['order-newest', 'order-middle', 'order-oldest', 'order-ancient']
  const listAliases = async (query = '') =>
    readAliases((await person.open(`/console/links${query}`)).body, 'order')
  expect(await listAliases()).toEqual(newestFirst)
  expect(await listAliases('?sort=oldest')).toEqual(newestFirst.toReversed())
  expect(await listAliases('?tag=both')).toEqual(newestFirst.slice(1))
  expect(await listAliases('?tag=both&sort=oldest')).toEqual(newestFirst.slice(1).toReversed())
  expect(await listAliases('?q=order')).toEqual(newestFirst)
  const reply = await app.request({ url: '/api/urls?limit=10', headers: owner.headers })
  const { urls } = reply.json().data
  expect(urls.map(({ alias }: { alias: string }) => alias)).toEqual(newestFirst)
})

test('imported links show their last click if the file contains it', async ({
  app,
  importFile,
}) => {
  const getLinkId = async (owner: Owner) => {
    const reply = await app.request({ url: '/api/urls', headers: owner.headers })
    return reply.json().data.urls[0].id as number
  }
  const csv = 'Alias,Long URL,Created,Clicks,Last click\n'
  const url = 'https://example.com/'
  const withTime = await importFile(
    `${csv}last-a,${url},2024-05-01,7,2025-03-04 05:06:07\n`,
    'a.csv',
  )
  const readPage = async ({ owner, person }: Awaited<ReturnType<typeof importFile>>) =>
    (await person.open(`/console/links/${await getLinkId(owner)}`)).body
  expect(await readPage(withTime)).toContain('Last click: Mar 4, 2025, 05:06')
  const byDay = { alias: 'last-b', url, days: [{ day: '2025-02-03', clicks: 2 }] }
  expect(await readPage(await importFile(jsonl(byDay), 'a.jsonl'))).toContain(
    'Last click: Feb 3, 2025',
  )
  // The file contains only the total, so no time is shown.
  const withTotal = await readPage(await importFile(`${csv}last-c,${url},2024-05-01,7,\n`, 'c.csv'))
  expect(withTotal).toContain('All time: 7 clicks')
  expect(withTotal).not.toMatch(/last click/i)
  expect(withTotal).not.toContain('none yet')
})
