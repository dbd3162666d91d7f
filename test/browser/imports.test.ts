import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/pool.ts'
import { createBackgroundImports } from '../../src/wiring/import-worker.ts'
import { barriers, overflows, phone, picture } from '../support/browser.ts'
import { type BrowserApp, browserApp } from '../support/browser-app.ts'
import { jsonl } from '../support/transfer.ts'

let t: BrowserApp
beforeAll(async () => {
  t = await browserApp()
})
afterAll(() => t?.close())

test.for([
  ['wide', {}],
  ['phone without scripts', { viewport: phone, javaScriptEnabled: false }],
] as const)('%s, a file is uploaded, checked and taken in', async ([look, options]) => {
  const owner = await t.make.owner()
  const database = openDatabase({ url: t.databaseUrl, name: 'imports', max: 4 })
  const log = { warn: (details: object) => console.error(details) }
  const { config } = t.services
  const worker = createBackgroundImports({ db: database.db, clock: t.clock, config, log })
  const content = jsonl(
    { alias: `from-${look.replaceAll(' ', '-')}`, url: 'https://example.com/', clicks: 3 },
    { alias: 'a'.repeat(64), url: `ftp://${'long/'.repeat(60)}` },
  )
  // Axe is a script, so it needs one.
  const inspect = async (page: Page) => {
    expect(await overflows(page)).toBe(false)
    if (look === 'wide') expect(await barriers(page)).toEqual([])
  }
  await t.walk(async (page) => {
    page.setDefaultTimeout(8000)
    const value = await t.services.sessions.begin(owner.account.id)
    const url = `${t.baseUrl}/console`
    await page.context().addCookies([{ name: 'brevis_session', value, url }])
    await page.goto(`${t.baseUrl}/console/import`)
    await inspect(page)
    await picture(page, `import-${look}`)
    const name = `${'a-long-name-'.repeat(12)}.jsonl`
    const buffer = Buffer.from(content)
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer })
    await page.getByRole('button', { name: 'Upload and check' }).click()
    await page.getByText('Waits for its turn.').waitFor()
    await inspect(page)
    await worker.drain()
    await page.reload()
    await picture(page, `import-checked-${look}`)
    await inspect(page)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Waits for its turn.').waitFor()
    await worker.drain()
    await page.reload()
    await page.getByText('Done.').waitFor()
  }, options)
  expect(await t.services.transfers.count(owner.account.id)).toBe(1)
  await worker.stop()
  await database.close()
})
