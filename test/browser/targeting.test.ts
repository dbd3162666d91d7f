import { describe, expect } from 'vitest'
import { getLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { phone } from '../support/browser.ts'
import { browserSetups, browserTest } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

const createUrl = (name: string) => `https://example.com/${name}`

describe.each(browserSetups)('%s', (setupName, options) => {
  test('a user adds, reorders and removes rules', async ({ app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const { id } = await app.make.link(owner, {
        rules: ['DE', 'FR', 'IT'].map((country) => ({ when: { country }, to: createUrl(country) })),
      })
      const { services, baseUrl } = app
      const getStoredRules = async () =>
        (await getLink(scopeOf(services, owner.account.id), id)).rules
      await page.goto(`${baseUrl}/console/links/${id}/edit`)
      await inspect(page, `targeting-${setupName}`, options)
      await page.getByRole('button', { name: 'Move down: Rule 1' }).click()
      await page.getByRole('button', { name: 'Move up: Rule 3' }).click()
      await page.getByRole('button', { name: 'Remove: Rule 3' }).click()
      await page.getByLabel('First condition of the new rule').selectOption('Time')
      await page.getByRole('button', { name: 'Add rule' }).click()
      const rule = page.locator('[data-rules] > li').nth(2)
      await rule.getByLabel('Mon').check()
      await rule.getByLabel('Sun').check()
      await rule.getByLabel('From').fill('09:00')
      await rule.getByLabel('Time zone').fill('Europe/Berlin')
      await rule.getByLabel('Another condition').selectOption('Query')
      await rule.getByRole('button', { name: 'Add condition' }).click()
      await rule.getByLabel('Query').fill('ref=a b')
      await rule.getByLabel('Destination URL for this rule').fill('example.com/time')
      await inspect(page, `targeting-changed-${setupName}`, options)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/links\/\d+$/)
      const schedule = { days: ['mon', 'sun'], from: '09:00', zone: 'Europe/Berlin' }
      expect(await getStoredRules()).toEqual([
        { when: { country: 'FR' }, to: createUrl('FR') },
        { when: { country: 'IT' }, to: createUrl('IT') },
        { when: { query: { ref: 'a b' }, time: schedule }, to: createUrl('time') },
      ])

      await page.goto(`${baseUrl}/console/links/${id}/edit`)
      await page.getByRole('button', { name: 'Remove condition: Query' }).click()
      await page.getByLabel('Time zone').fill('Mars/Olympus')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForSelector('#rule-2-time-zone:focus')
      expect(await page.locator('#rule-2-time-zone-error').textContent()).toContain('Rule 3: ')
      await inspect(page, `targeting-wrong-${setupName}`, options)
    }, options)
  })

  test('50 rules are collapsed, each with a summary', async ({ app, signInPage }) => {
    await app.walk(async (page) => {
      const owner = await signInPage(page)
      const rules = Array.from({ length: 50 }, (_, index) => ({
        when: { country: 'DE', query: { page: String(index) } },
        to: createUrl(String(index)),
      }))
      const { id } = await app.make.link(owner, { rules })
      await page.goto(`${app.baseUrl}/console/links/${id}/edit`)
      expect(await page.locator('[data-rules] > li').count()).toBe(50)
      expect(await page.locator('[data-rules] details[open]').count()).toBe(0)
      const last = page.locator('[data-rules] > li').last()
      expect(await last.locator('[data-summary]').textContent()).toBe(
        'Germany, page=49 → example.com/49',
      )
      const { height = 0 } = (await last.boundingBox()) ?? {}
      // The summary may wrap on a phone.
      expect(height).toBeLessThanOrEqual(options.viewport ? 96 : 64)
      await inspect(page, `targeting-50-${setupName}`, options)
    }, options)
  })
})

test('rules are reordered by dragging and by keyboard', async ({ app, signInPage }) => {
  await app.walk(
    async (page) => {
      const owner = await signInPage(page)
      const { id } = await app.make.link(owner, {
        rules: ['a', 'b', 'c', 'd'].map((ref) => ({
          when: { query: { ref } },
          to: createUrl(ref),
        })),
      })
      await page.goto(`${app.baseUrl}/console/links/${id}/edit`)
      // The values of `ref`, which end the destination URLs in the summaries.
      const readOrder = async () =>
        (await page.locator('[data-summary]').allTextContents()).map((text) => text.at(-1))
      const grip = page.locator('[data-grip]').first()
      await grip.scrollIntoViewIfNeeded()
      const from = await grip.boundingBox()
      const to = await page.locator('[data-grip]').nth(2).boundingBox()
      if (!from || !to) throw new Error('the rules cannot be dragged')
      await page.mouse.move(from.x + 4, from.y + 4)
      await page.mouse.down()
      await page.mouse.move(to.x + 4, to.y + to.height + 20, { steps: 8 })
      await page.mouse.up()
      expect(await readOrder()).toEqual(['b', 'c', 'a', 'd'])
      await page.locator('[data-rules] > li').last().focus()
      await page.keyboard.press('Alt+ArrowUp')
      expect(await readOrder()).toEqual(['b', 'c', 'd', 'a'])
      expect(await page.locator('#said').textContent()).toBe('Moved to position 3')
      expect(await page.locator('[data-state]').textContent()).toBe('Unsaved changes')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/links\/\d+$/)
      const { rules } = await getLink(scopeOf(app.services, owner.account.id), id)
      expect(rules.map(({ when }) => when.query?.ref)).toEqual(['b', 'c', 'd', 'a'])
    },
    { viewport: phone },
  )
})
