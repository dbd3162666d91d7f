import { expect } from 'vitest'
import { countLinks } from '../../src/transfer/transfer.service.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'
import { jsonl } from '../support/transfer.ts'
import { startWorker } from '../support/uploads.ts'

const test = browserTest()

test.for(browserSetups)(
  '%s: a user assigns the columns of a file after a failed check',
  async ([setupName, options], { app, signInPage }) => {
    const owner = await app.make.owner()
    const worker = startWorker(app)
    const alias = `columns-${setupName.replaceAll(' ', '-')}`
    const content = `Kürzel,Long URL,${'long-name'.repeat(20)}\n${alias},https://example.com/,${'x'.repeat(200)}\n`
    await app.walk(async (page) => {
      page.setDefaultTimeout(60_000)
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/import`)
      const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByRole('button', { name: 'Upload and review' }).click()
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await page.reload()
      await page.getByText('The check failed.').waitFor()
      await page.getByLabel('Import Kürzel as').selectOption('Alias')
      await inspect(page, `import-columns-${setupName}`, options)
      await page.getByRole('button', { name: 'Apply and check again' }).click()
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await page.reload()
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await page.reload()
      await page.getByText('Import finished.').waitFor()
    }, options)
    expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(1)
  },
)

test.for(browserSetups)(
  '%s: a user uploads, checks and imports a file',
  async ([setupName, options], { app, signInPage }) => {
    const owner = await app.make.owner()
    const worker = startWorker(app)
    const content = jsonl(
      { alias: `from-${setupName.replaceAll(' ', '-')}`, url: 'https://example.com/', clicks: 3 },
      { alias: 'a'.repeat(64), url: `ftp://${'long/'.repeat(60)}` },
    )
    await app.walk(async (page) => {
      page.setDefaultTimeout(60_000)
      await signInPage(page, owner)
      await page.goto(`${app.baseUrl}/console/import`)
      await inspect(page, `import-${setupName}`, options)
      const name = `${'a-long-name-'.repeat(12)}.jsonl`
      const buffer = Buffer.from(content)
      await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer })
      await page.getByRole('button', { name: 'Upload and review' }).click()
      await page.getByText('Queued').waitFor()
      await inspect(page, `import-queued-${setupName}`, options)
      await worker.drain()
      // A script shows the result of the check, with the rows that will be skipped.
      if (options.javaScriptEnabled === false) await page.reload()
      await page.getByRole('heading', { name: 'Skipped rows' }).waitFor()
      await inspect(page, `import-checked-${setupName}`, options)
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByText('Queued').waitFor()
      await worker.drain()
      await page.reload()
      await page.getByText('Import finished.').waitFor()
    }, options)
    expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(1)
  },
)
