import { describe, expect } from 'vitest'
import { browserSetups, browserTest, LONG_WORD } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest({ DOMAIN_CHECK: 'on', OUTBOUND_ALLOW: '127.0.0.1/32' }, async () => [
  '127.0.0.1',
])

describe.each(browserSetups)('%s', (setupName, options) => {
  test('the list of domains and the page of a domain show whether they point here', async ({
    app,
    signInPage,
  }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const name = setupName.replaceAll(' ', '-')
      const { db } = app.services
      const domain = await app.make.domain(owner, {
        domain: `http://${name}.test:${app.port()}`,
        redirectRoot: `https://example.com/${LONG_WORD}`,
      })
      const missingDomain = await app.make.domain(owner, {
        domain: `http://missing-${name}.test:${app.port()}`,
      })
      const setDnsState = (id: number, state: 'missing' | null, at: Date | null) =>
        db
          .updateTable('domains')
          .set({ dns_state: state, dns_checked_at: at })
          .where('id', '=', id)
          .execute()
      await setDnsState(domain.id, null, null)
      await setDnsState(missingDomain.id, 'missing', app.services.clock())
      await page.goto(`${app.baseUrl}/console/domains`)
      await page.getByText('Not found in DNS').waitFor()
      // A script checks domains that were never checked.
      const hasScripts = options.javaScriptEnabled !== false
      await page.getByText(hasScripts ? 'Points here' : 'Not checked yet').waitFor()
      await inspect(page, `console-domains-${name}`, options)

      // A script repeats a check from long ago. Without scripts, there is a button.
      await setDnsState(domain.id, 'missing', new Date(0))
      await page.goto(`${app.baseUrl}/console/domains/${domain.id}`)
      if (!hasScripts) await page.getByRole('button', { name: 'Check now' }).click()
      await page.getByText(`${domain.host} points here.`).waitFor()
      await inspect(page, `console-domain-${name}`, options)
      expect(await page.locator('[data-state="here"]').count()).toBe(1)
    }, options)
  })
})
