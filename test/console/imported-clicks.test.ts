import { expect } from 'vitest'
import { scopeOf } from '../../src/scope.ts'
import { importLinks } from '../../src/transfer/transfer.service.ts'
import { signIn } from '../support/console.ts'
import { linkPageTest } from '../support/link-page.ts'
import { createFile, jsonl } from '../support/transfer.ts'

const test = linkPageTest()

test('the page of a link marks imported clicks', async ({ app, make, owner, person }) => {
  const { id: createdId } = await make.link(owner)
  const days = [
    { day: '2019-03-02', clicks: 3 },
    { day: '2019-03-05', clicks: 1197 },
  ]
  const record = { alias: 'moved', url: 'https://example.com/', createdAt: '2019-03-01', days }
  const from = await createFile(jsonl(record), 'links.jsonl')
  const request = { source: 'jsonl', from, onTaken: 'fail', dryRun: false } as const
  const { services } = app
  for await (const { counts } of importLinks(scopeOf(services, owner.account.id), request)) {
    expect(counts).toMatchObject({ created: 1, clicks: 1200 })
  }
  const { body: list } = await person.open('/console/links')
  const [, id] = /id="short-(\d+)"[^>]*>brev.test\/moved</.exec(list) ?? []
  expect(list).toContain('<time datetime="2019-03-01T00:00:00.000Z">Mar 1, 2019</time>')

  const { body } = await person.open(`/console/links/${id}?from=2019-03-01&to=2019-03-10`)
  expect(body).toContain(
    '<dt>Created</dt><dd><time datetime="2019-03-01T00:00:00.000Z">Mar 1, 2019</time>',
  )
  expect(body).toContain('1,200 clicks (Mar 2 – 5, 2019) were imported and have no visitor data.')
  expect(body.match(/<text class="imported"/g)).toHaveLength(1)
  expect(body.match(/, imported<\/th>/g)).toHaveLength(2)
  expect(body).toContain('1,197 clicks\n0 new visitors\nimported</title>')
  // A later period has the notice, but no mark. A link that was not imported has neither.
  const { body: laterPeriod } = await person.open(`/console/links/${id}`)
  expect(laterPeriod).toContain('were imported and have no visitor data.')
  expect(laterPeriod).not.toContain('class="imported"')
  expect((await person.open(`/console/links/${createdId}`)).body).not.toContain('imported')
})

test('the last click of an imported link defaults to its last hour or day with clicks', async ({
  app,
  make,
  request,
}) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const url = 'https://example.com/'
  const days = [
    { day: '2019-03-05', clicks: 3, hours: { 9: 1, 17: 2 } },
    { day: '2019-03-02', clicks: 3 },
  ]
  const from = await createFile(
    jsonl(
      { alias: 'by-hour', url, days },
      { alias: 'by-day', url, days: days.slice(1) },
      { alias: 'stated', url, days, lastClickAt: '2019-03-05T17:45:10Z' },
      { alias: 'total-only', url, clicks: 7, createdAt: '2019-03-01' },
    ),
    'links.jsonl',
  )
  const task = { source: 'jsonl', from, onTaken: 'fail', dryRun: false } as const
  await Array.fromAsync(importLinks(scopeOf(app.services, owner.account.id), task))
  const { data } = (await request({ url: '/api/urls', headers: owner.headers })).json()
  const lastClicks: Record<string, string | undefined> = {}
  for (const { id, alias } of data.urls) {
    const { body } = await person.open(`/console/links/${id}`)
    const [, lastClick] = /Last click: ([^<]*)</.exec(body) ?? []
    lastClicks[alias] = lastClick
  }
  expect(lastClicks).toEqual({
    'by-hour': 'Mar 5, 2019, 17:00',
    'by-day': 'Mar 2, 2019, 00:00',
    stated: 'Mar 5, 2019, 17:45',
    'total-only': undefined,
  })
})
