import { describe, expect } from 'vitest'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

describe.each(browserSetups)('%s', (setupName, options) => {
  test('the list shows where domains point', async ({ app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const name = setupName.replaceAll(' ', '-')
      const { db } = app.services
      const domain = await app.make.domain(owner, {
        domain: `https://${name}.test`,
        redirectRoot: `https://example.com/${LONG_WORD}`,
      })
      const parked = await app.make.domain(owner, { domain: `https://parked-${name}.test` })
      const set = (id: number, state: 'missing' | null, at: Date | null) =>
        db
          .updateTable('domains')
          .set({ dns_state: state, dns_checked_at: at })
          .where('id', '=', id)
          .execute()
      await set(domain.id, null, null)
      await set(parked.id, 'missing', app.services.clock())
      await page.goto(`${app.baseUrl}/console/domains`)
      await page.getByText('Not found in DNS').waitFor()
      // The script checks unknown states.
      const isScripted = options.javaScriptEnabled ?? true
      await page.getByText(isScripted ? 'Points here' : 'Not checked yet').waitFor()
      await inspect(page, `console-domains-${name}`, options)

      await set(domain.id, 'missing', new Date(0))
      await page.goto(`${app.baseUrl}/console/domains/${domain.id}`)
      if (!isScripted) await page.getByRole('button', { name: 'Check now' }).click()
      await page.getByText(`${domain.host} points here.`).waitFor()
      await inspect(page, `console-domain-${name}`, options)
      expect(await page.locator('[data-state="here"]').count()).toBe(1)
    }, options)
  })
})
