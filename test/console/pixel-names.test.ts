import { expect } from 'vitest'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const PIXELS_FILE = JSON.stringify({
  vendor01pixel: { name: 'Example Ads', url: 'https://vendor.example/?id={tag}' },
})

const test = appTest({ files: { PIXELS_FILE } })

test('shows the names of pixel types from PIXELS_FILE', async ({ app, make, owner }) => {
  const { id } = await make.pixel(owner, { type: 'vendor01pixel', name: 'Shop' })
  const person = await signIn(app, owner.account.email)
  const list = await person.open('/console/pixels')
  expect(list.body).toContain('<bdi>Example Ads</bdi>')
  const form = await person.open('/console/pixels/new')
  expect(form.body).toContain('<option value="vendor01pixel">Example Ads</option>')
  const edit = await person.open(`/console/pixels/${id}/edit`)
  const link = await person.open('/console/links/new')
  for (const { body } of [list, edit, link]) expect(body).not.toContain('vendor01pixel')
})
