import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { bios } from '../../src/resources/bios.ts'
import { saveScreenshot } from '../support/browser.ts'
import { browserTest, LONG_WORD, withoutScripts } from '../support/browser-test.ts'
import { inspect } from '../support/inspection.ts'

const test = browserTest()

/** Returns the content of the visible preview. */
const previewOf = (page: Page) => page.frameLocator('iframe:not([hidden])')

test('the preview of an overlay updates as the form changes', async ({ app, signInPage }) => {
  await app.walk(async (page) => {
    await signInPage(page)
    await page.goto(`${app.baseUrl}/console/overlays/new`)
    await previewOf(page).getByRole('heading', { name: 'The first line of the text' }).waitFor()
    // The form shows only fields that the type uses.
    expect(await page.getByLabel('Poll options').isVisible()).toBe(false)
    await page.getByLabel('Type').selectOption('poll')
    expect(await page.getByLabel('Poll options').isVisible()).toBe(true)
    expect(await page.getByLabel('Image URL').isVisible()).toBe(false)
    await page.getByLabel('Text', { exact: true }).fill(`Tea or coffee?\nSay ${LONG_WORD}`)
    await page.getByLabel('Poll options').fill('Tea\nCoffee')
    await previewOf(page).getByText('Coffee', { exact: true }).waitFor()
    await inspect(page, 'console-overlay-preview')
    // Previews do not add history entries, so going back leaves the form.
    expect(await page.evaluate(() => history.length)).toBe(2)
    await page.getByLabel('Name').fill('Tea')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/console\/overlays\/\d+$/)
  })
})

test('buttons, keys and dragging reorder the links of a bio page', async ({ app, signInPage }) => {
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    const links = ['One', 'Two', 'Three', LONG_WORD].map((title, index) => ({
      title,
      url: `https://example.com/${index}`,
    }))
    const { id } = await app.make.bio(owner, { title: 'Anna', text: 'Hello', links })
    await page.goto(`${app.baseUrl}/console/bios/${id}/edit`)
    await previewOf(page).getByText('Three').waitFor()
    await inspect(page, 'console-bio')
    const readTitles = () =>
      page
        .getByLabel(/^Title of link/)
        .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))
    await page.getByRole('button', { name: 'Move down link 1' }).click()
    expect(await readTitles()).toEqual(['Two', 'One', 'Three', LONG_WORD, ''])
    const getFocusedLabel = () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    expect(await getFocusedLabel()).toBe('Move down link 2')
    await page.getByLabel('Title of link 3').press('Alt+ArrowUp')
    expect(await readTitles()).toEqual(['Two', 'Three', 'One', LONG_WORD, ''])
    const grips = page.locator('[data-grip]')
    const from = await grips.nth(2).boundingBox()
    const to = await grips.nth(0).boundingBox()
    if (!from || !to) throw new Error('the links cannot be dragged')
    await page.mouse.move(from.x + 8, from.y + 8)
    await page.mouse.down()
    // Just above the first link.
    await page.mouse.move(to.x + 8, to.y - 4, { steps: 4 })
    await page.mouse.up()
    expect(await readTitles()).toEqual(['One', 'Two', 'Three', LONG_WORD, ''])
    await page.getByRole('button', { name: 'Remove link 2' }).click()
    await page.getByLabel('Title of link 4').fill('Four')
    await page.getByLabel('URL of link 4').fill('https://example.com/four')
    await page.getByLabel('Title of link 4').press('Alt+ArrowUp')
    await previewOf(page).getByText('Four').waitFor()
    await page.getByRole('button', { name: 'Save' }).last().click()
    await page.locator('#toast').getByText('Saved').waitFor()
    const stored = await bios.get({ ...app.services, accountId: owner.account.id }, id)
    expect(stored.links.map(({ title }) => title)).toEqual(['One', 'Three', 'Four', LONG_WORD])
  })
})

test('without scripts, buttons update the preview and reorder the links of a bio page', async ({
  app,
  signInPage,
}) => {
  const [, options] = withoutScripts
  await app.walk(async (page) => {
    const owner = await signInPage(page)
    const links = ['One', 'Two'].map((title) => ({ title, url: 'https://example.com/' }))
    const { id } = await app.make.bio(owner, { title: 'Anna', links })
    await page.goto(`${app.baseUrl}/console/bios/${id}/edit`)
    await previewOf(page).getByText('Two').waitFor()
    await page.getByLabel('Title', { exact: true }).fill('Berta')
    await page.getByRole('button', { name: 'Move down link 1' }).click()
    expect(await page.getByLabel('Title of link 1').inputValue()).toBe('Two')
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Berta')
    await page.getByRole('button', { name: 'Update preview' }).click()
    await previewOf(page).getByRole('heading', { name: 'Berta' }).waitFor()
    await saveScreenshot(page, 'console-bio', { fullPage: true })
    await page.getByLabel('Title', { exact: true }).press('Enter')
    await page.locator('#toast').getByText('Saved').waitFor()
    const stored = await bios.get({ ...app.services, accountId: owner.account.id }, id)
    expect([stored.title, stored.links.map(({ title }) => title)]).toEqual([
      'Berta',
      ['Two', 'One'],
    ])
  }, options)
})
