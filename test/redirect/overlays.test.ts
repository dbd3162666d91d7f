import { expect } from 'vitest'
import { readAnswers } from '../../src/resources/overlay-answers.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const DESTINATION = 'https://example.com/target'

const test = appTest().extend('overlays', { scope: 'file' }, ({ app, make, owner, request }) => {
  async function open(
    type: 'contact' | 'newsletter' | 'poll' | 'message' | 'image',
    options = {},
    link = {},
  ) {
    const overlay = await make.overlay(owner, { type, text: 'Dear visitor\nplease', ...options })
    const { id, alias } = await make.link(owner, { type: `overlay-${overlay.id}`, ...link })
    const page = await request({ url: `/${alias}` })
    return { overlay, id, url: `/${alias}`, page, ...formOf(page) }
  }
  const readResponses = async (id: number) => {
    const responses = []
    for await (const { answer } of readAnswers(
      { ...app.services, accountId: owner.account.id },
      id,
    )) {
      responses.push(answer)
    }
    return responses
  }
  return { open, readResponses }
})

test.for(['contact', 'newsletter', 'poll', 'message', 'image'] as const)(
  '%s overlays appear over the destination',
  async (type, { app, owner, overlays: { open } }) => {
    const options = type === 'image' ? { image: 'https://example.com/i.png' } : {}
    const { page, id } = await open(type, options)
    expect(page.statusCode).toBe(200)
    expect(page.body).toContain('Dear visitor')
    expect(page.body).toContain(`src="${DESTINATION}"`)
    expect(await app.clicksOf(owner, id)).toBe(1)
  },
)

test.for([
  ['contact', { name: 'Ann', email: 'ann@example.com', message: 'Hello <b>' }],
  ['newsletter', { email: 'ann@example.com' }],
] as const)(
  '%s overlays store responses',
  async ([type, fields], { app, owner, overlays: { open, readResponses } }) => {
    const { overlay, url, cookie, csrf, id } = await open(type)
    const reply = await postForm(app, url, { csrf, ...fields }, { cookie })
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toContain('Thank you')
    expect(await readResponses(overlay.id)).toEqual([fields])
    expect(await app.clicksOf(owner, id)).toBe(1)
  },
)

test('poll overlays store the choice as text', async ({
  app,
  overlays: { open, readResponses },
}) => {
  const { overlay, url, cookie, csrf } = await open('poll', { options: ['Tea', 'Coffee'] })
  expect((await postForm(app, url, { csrf, choice: '7' }, { cookie })).statusCode).toBe(400)
  expect((await postForm(app, url, { csrf, choice: '1' }, { cookie })).body).toContain('Thank you')
  expect(await readResponses(overlay.id)).toEqual([{ choice: 'Coffee' }])
})

test('an overlay form with invalid fields shows errors and stores no response', async ({
  app,
  overlays: { open, readResponses },
}) => {
  const { overlay, url, cookie, csrf } = await open('contact')
  const reply = await postForm(
    app,
    url,
    { csrf, name: '', email: 'nonsense', message: 'kept text' },
    { cookie },
  )
  expect(reply.statusCode).toBe(400)
  for (const text of ['Enter a valid email address.', 'Enter your name.', 'kept text']) {
    expect(reply.body).toContain(text)
  }
  expect(await readResponses(overlay.id)).toEqual([])
})

test('an overlay form rejects responses without its own token and limits their number', async ({
  app,
  overlays: { open, readResponses },
}) => {
  const { overlay, url, cookie, csrf } = await open('newsletter')
  const fields = { email: 'ann@example.com' }
  for (const [payload, formCookie] of [
    [{ ...fields, csrf }, ''],
    [fields, cookie],
    [{ ...fields, csrf: `${csrf}x` }, cookie],
    [{ ...fields, csrf }, 'brevis_form=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ] as const) {
    expect((await postForm(app, url, payload, { cookie: formCookie })).statusCode).toBe(403)
  }
  expect(await readResponses(overlay.id)).toEqual([])
  const statuses = []
  for (let count = 0; count < 21; count += 1) {
    statuses.push((await postForm(app, url, { ...fields, csrf }, { cookie })).statusCode)
  }
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429])
})

test('an overlay never reveals the destination of a link without its password', async ({
  app,
  overlays: { open, readResponses },
}) => {
  const { overlay, url, page } = await open('newsletter', {}, { password: 'open sesame' })
  expect(page.body).not.toContain(DESTINATION)
  const withPassword = await postForm(app, url, { password: 'open sesame' })
  expect(withPassword.body).toContain(DESTINATION)
  const { cookie, csrf } = formOf(withPassword)
  const fields = { email: 'ann@example.com' }
  const withoutPassword = await postForm(
    app,
    url,
    { ...fields, csrf: csrf.split('.')[0] ?? '' },
    { cookie },
  )
  expect(withoutPassword.statusCode).toBe(403)
  expect(withoutPassword.body).not.toContain(DESTINATION)
  expect((await postForm(app, url, { ...fields, csrf }, { cookie })).body).toContain('Thank you')
  expect(await readResponses(overlay.id)).toEqual([fields])
})
