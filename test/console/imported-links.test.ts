import { expect } from 'vitest'
import type { Owner } from '../support/make.ts'
import { jsonl } from '../support/transfer.ts'
import { uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({}).extend(
  'imported',
  ({ newUser, worker }) =>
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

test('lists sort imported and other links by creation date', async ({ app, make, imported }) => {
  const content = [
    'Alias,Long URL,Created,Tags',
    'order-middle,https://example.com/,2024-05-01T00:00:00Z,both',
    'order-oldest,https://example.com/,2019-05-01T00:00:00Z,both',
    '',
  ].join('\n')
  const { owner, person } = await imported(content, 'a.csv')
  await make.link(owner, { alias: 'order-newest' })
  const older = 'order-ancient,https://example.com/,2018-05-01T00:00:00Z,both'
  const fields = { kind: 'csv', onTaken: 'skip', go: 'import' }
  const paste = `Alias,Long URL,Created,Tags\n${older}\n`
  await person.send('/console/import', { ...fields, content: paste })

  const getNewest = ['order-newest', 'order-middle', 'order-oldest', 'order-ancient']
  const list = async (query = '') =>
    readAliases((await person.open(`/console/links${query}`)).body, 'order')
  expect(await list()).toEqual(getNewest)
  expect(await list('?sort=oldest')).toEqual(getNewest.toReversed())
  expect(await list('?tag=both')).toEqual(getNewest.slice(1))
  expect(await list('?tag=both&sort=oldest')).toEqual(getNewest.slice(1).toReversed())
  expect(await list('?q=order')).toEqual(getNewest)
  const reply = await app.request({ url: '/api/urls?limit=9', headers: owner.headers })
  const { urls } = reply.json().data
  expect(urls.map(({ alias }: { alias: string }) => alias)).toEqual(getNewest)
})

test('imported links show their last click if the file contains it', async ({ app, imported }) => {
  const getId = async (owner: Owner) => {
    const reply = await app.request({ url: '/api/urls', headers: owner.headers })
    return reply.json().data.urls[0].id as number
  }
  const csv = 'Alias,Long URL,Created,Clicks,Last click\n'
  const url = 'https://example.com/'
  const statedTimes = await imported(
    `${csv}last-a,${url},2024-05-01,7,2025-03-04 05:06:07\n`,
    'a.csv',
  )
  const page = async ({ owner, person }: Awaited<ReturnType<typeof imported>>) =>
    (await person.open(`/console/links/${await getId(owner)}`)).body
  expect(await page(statedTimes)).toContain('Last click: Mar 4, 2025, 05:06')
  const byDay = { alias: 'last-b', url, days: [{ day: '2025-02-03', clicks: 2 }] }
  expect(await page(await imported(jsonl(byDay), 'a.jsonl'))).toContain('Last click: Feb 3, 2025')
  // The file contains only the total, so no time is shown.
  const total = await page(await imported(`${csv}last-c,${url},2024-05-01,7,\n`, 'c.csv'))
  expect(total).toContain('All time: 7 clicks')
  expect(total).not.toMatch(/last click/i)
  expect(total).not.toContain('none yet')
})
