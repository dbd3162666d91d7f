import { expect } from 'vitest'
import { visibleText } from '../fixtures/visible-text.ts'
import { linkListTest } from '../support/link-list.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'

const test = linkListTest()

test('numbers and dates follow the language of the user', async ({ app, owner, person }) => {
  const url = 'https://example.com/'
  const expiresAt = '2030-03-05T14:30:00Z'
  const link = { alias: 'counted', url, clicks: 1_234_567, createdAt: '2026-01-09', expiresAt }
  await createTransferCommands(app, owner).import(
    await createFile(jsonl(link), 'links.jsonl'),
    'jsonl',
  )
  const { body } = await person.open('/console/links?q=counted')
  const path = /\/console\/links\/\d+/.exec(body)?.[0] ?? ''
  const readText = async (page: string) => visibleText((await person.open(page)).body)
  const zone = { timeZone: 'Europe/Berlin' }

  await person.send('/console/settings', { language: 'de', ...zone })
  expect(await readText('/console/links?q=counted')).toMatch(/\b1\.234\.567\b/)
  const german = await readText(path)
  expect(german).toMatch(/\b1\.234\.567\b/)
  expect(german).toContain('05.03.2030, 15:30')
  expect(await readText(`${path}?from=2026-11-01&to=2026-11-20`)).toContain('20. Nov')

  await person.send('/console/settings', { language: 'en', ...zone })
  expect(await readText('/console/links?q=counted')).toMatch(/\b1,234,567\b/)
  const english = await readText(path)
  expect(english).toMatch(/\b1,234,567\b/)
  expect(english).toContain('Mar 5, 2030, 15:30')
})
