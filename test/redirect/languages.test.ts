import { describe, expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'
import { whilePasswordChecksAreBusy } from '../support/while-busy.ts'

const test = appTest().extend('links', { scope: 'file', auto: true }, async ({ app, make }) => {
  const owner = await make.owner({ username: 'anna' })
  const disabled = await make.link(owner, { alias: 'disabled' })
  await setLinkStatus(scopeOf(app.services, owner.account.id), disabled.id, 'disabled')
  await make.link(owner, { alias: 'plain' })
  await make.link(owner, { alias: 'locked', password: 'secret' })
  await make.link(owner, { alias: 'splash', type: 'splash' })
  await make.link(owner, { alias: 'frame', type: 'frame' })
  const overlay = await make.overlay(owner, { type: 'contact', text: 'Talk to us' })
  await make.link(owner, { alias: 'overlay', type: `overlay-${overlay.id}` })
  await make.bio(owner, { alias: 'bio-page' })
  await make.campaign(owner, { name: 'Spring', public: true })
})
const germanHeaders = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' }

describe('a page for visitors', () => {
  test.for<[string, string, number]>([
    ['not found', '/nothing-here', 404],
    ['not found, several levels deep', '/a/b/c', 404],
    ['malformed', '/%zz', 400],
    ['disabled', '/disabled', 410],
    ['password', '/locked', 200],
    ['preview', '/plain+', 200],
    ['report', '/plain+report', 200],
    ['splash', '/splash', 200],
    ['frame', '/frame', 200],
    ['overlay', '/overlay', 200],
    ['bio', '/b/bio-page', 200],
    ['campaign', '/u/anna/1', 200],
  ])('is in the visitor’s language: %s', async ([, url, status], { request }) => {
    const reply = await request({ url, headers: germanHeaders })
    expect([reply.statusCode, reply.headers.vary]).toEqual([status, 'Accept-Language'])
    expect(reply.headers['cache-control']).toBe('private, no-store')
    expect(reply.body).toContain('<html lang="de">')
    const english = await request({ url })
    expect([english.statusCode, english.headers.vary]).toEqual([status, 'Accept-Language'])
    expect(english.body).toContain('<html lang="en">')
  })

  test('is written from right to left in Arabic', async ({ request }) => {
    const { body } = await request({ url: '/nothing', headers: { 'accept-language': 'ar-EG' } })
    expect(body).toContain('<html lang="ar" dir="rtl">')
    expect(body).toContain('<h1>الرابط غير موجود</h1>')
  })

  test('shows form errors in the visitor’s language', async ({ request }) => {
    const { cookie, csrf } = formOf(await request({ url: '/overlay' }))
    const payload = new URLSearchParams({ csrf, name: '', email: 'x', message: 'y' }).toString()
    const headers = {
      ...germanHeaders,
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const { statusCode, body } = await request({
      method: 'POST',
      url: '/overlay',
      headers,
      payload,
    })
    expect(statusCode).toBe(400)
    expect(body).toContain('Geben Sie eine gültige E-Mail-Adresse ein.')
    expect(body).toContain('Geben Sie Ihren Namen ein.')
  })

  test('is in the visitor’s language if too many passwords are waiting to be checked', async ({
    app,
    request,
  }) => {
    await whilePasswordChecksAreBusy(app.services, async () => {
      const reply = await request({
        method: 'POST',
        url: '/locked',
        headers: { ...germanHeaders, 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'password=x',
      })
      expect([reply.statusCode, reply.headers.vary]).toEqual([503, 'Accept-Language'])
      expect(reply.body).toContain('<html lang="de">')
      expect(reply.body).toContain('Etwas ist schiefgelaufen.')
    })
  })

  test('is in the visitor’s language if a form has expired', async ({ app, request }) => {
    expect((await postForm(app, '/plain+report', { reason: 'spam' })).body).toContain(
      '<h1>This form has expired</h1>',
    )
    const reply = await request({
      method: 'POST',
      url: '/plain+report',
      headers: { ...germanHeaders, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'reason=spam',
    })
    expect([reply.statusCode, reply.body.includes('Dieses Formular ist abgelaufen')]).toEqual([
      403,
      true,
    ])
  })
})
