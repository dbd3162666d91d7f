import { describe, expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('reports', { scope: 'file' }, ({ app, request }) => {
  const readReports = (linkId: number) =>
    app.services.database.db
      .selectFrom('link_reports')
      .selectAll()
      .where('link_id', '=', linkId)
      .execute()
  /** Submits the report form of a link, by default from a new IP address. */
  async function report(
    alias: string,
    fields: Record<string, string>,
    { host = 'brev.test', address = newAddress() } = {},
  ) {
    const url = `/${encodeURIComponent(alias)}+report`
    const { cookie, csrf } = formOf(await request({ url, headers: { host } }))
    return app.request({
      method: 'POST',
      url,
      remoteAddress: address,
      headers: { host, cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ csrf, ...fields }).toString(),
    })
  }
  return { readReports, report, newAddress }
})

describe('a report of a link', () => {
  test('is sent with a form linked from the preview and other pages', async ({
    app,
    make,
    owner,
    request,
    reports: { readReports, report },
  }) => {
    const { id, alias } = await make.link(owner, { alias: 'größe' })
    const path = '/gr%C3%B6%C3%9Fe+report'
    const preview = await request({ url: '/gr%C3%B6%C3%9Fe+' })
    expect(preview.body).toContain(`href="${path}"`)
    expect(preview.headers['set-cookie']).toBeUndefined()
    const form = await request({ url: path })
    expect([form.statusCode, form.headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(form.body).toContain('<bdi>brev.test/größe</bdi>')
    expect(form.cookies.map(({ name }) => name)).toEqual(['brevis_form'])

    const text = '<script>alert(1)</script>\r\nIt asks for my "bank" ‮password'
    const reply = await report(alias, { reason: 'phishing', text })
    expect([reply.statusCode, reply.body.includes('Thank you')]).toEqual([200, true])
    expect(await readReports(id)).toMatchObject([
      {
        phishing: 1,
        malware: 0,
        spam: 0,
        other: 0,
        settled_at: null,
        texts: [{ reason: 'phishing', text: text.replace('\r', ''), at: expect.any(String) }],
      },
    ])
    expect((await request({ url: '/gr%C3%B6%C3%9Fe' })).statusCode).toBe(302)
    expect(await app.clicksOf(owner, id)).toBe(1)
  })

  test('is linked from pages that visitors see', async ({ app, make, owner, request }) => {
    const locked = await make.link(owner, { password: 'x' })
    const splash = await make.link(owner, { type: 'splash' })
    const disabledLink = await make.link(owner)
    await setLinkStatus(scopeOf(app.services, owner.account.id), disabledLink.id, 'disabled')
    for (const { alias } of [locked, splash, disabledLink]) {
      expect((await request({ url: `/${alias}` })).body).toContain(`href="/${alias}+report"`)
      expect((await request({ url: `/${alias}+report` })).statusCode).toBe(200)
    }
    const wrong = await postForm(app, `/${locked.alias}`, { password: 'y' })
    expect(wrong.body).toContain(`href="/${locked.alias}+report"`)
    expect((await request({ url: '/nothing-here' })).body).not.toContain('+report')
  })

  test('does not reveal a protected destination', async ({ make, owner, request }) => {
    const { alias } = await make.link(owner, { password: 'x', metaTitle: 'Hidden' })
    const { body } = await request({ url: `/${alias}+report` })
    expect(body).not.toMatch(/example\.com|Hidden/)
  })

  test('works for a link on a branded domain', async ({
    make,
    owner,
    reports: { readReports, report },
  }) => {
    const host = 'brand.test'
    await make.domain(owner, { domain: `https://${host}` })
    const branded = await make.link(owner, { domain: host, alias: 'same' })
    const otherLink = await make.link(owner, { alias: 'same' })
    expect((await report('same', { reason: 'spam' }, { host })).statusCode).toBe(200)
    expect(await readReports(branded.id)).toMatchObject([{ spam: 1, texts: [] }])
    expect(await readReports(otherLink.id)).toEqual([])
  })

  test("is added to the link's reports, which keep the 20 latest texts", async ({
    make,
    owner,
    reports: { readReports, report },
  }) => {
    const { id, alias } = await make.link(owner)
    for (let n = 1; n <= 22; n += 1) {
      const reason = n % 2 ? 'malware' : 'other'
      expect((await report(alias, { reason, text: `no ${n}` })).statusCode).toBe(200)
    }
    const [row, ...rest] = await readReports(id)
    expect(rest).toEqual([])
    expect(row).toMatchObject({ malware: 11, other: 11, phishing: 0 })
    const expected = Array.from({ length: 20 }, (_, index) => `no ${index + 3}`)
    expect(row?.texts.map(({ text }) => text)).toEqual(expected)
  })
})

describe('the report form', () => {
  test.for<[string, Record<string, string>, string]>([
    ['no reason', { text: 'x' }, 'Select a reason.'],
    ['an unknown reason', { reason: 'toString' }, 'Select a reason.'],
    [
      'text that is too long',
      { reason: 'spam', text: 'ü'.repeat(1001) },
      'Use at most 1,000 characters.',
    ],
    [
      'text with a NUL character',
      { reason: 'spam', text: 'a\0b' },
      'Some characters can’t be used.',
    ],
  ])('is shown again with %s', async ([, fields, message], { make, owner, reports }) => {
    const { id, alias } = await make.link(owner)
    const reply = await reports.report(alias, fields)
    expect([reply.statusCode, reply.body.includes(message)]).toEqual([400, true])
    expect(await reports.readReports(id)).toEqual([])
  })

  test("is rejected without its token, with another visitor's token, or from another site", async ({
    app,
    make,
    owner,
    request,
    reports: { readReports },
  }) => {
    const { id, alias } = await make.link(owner)
    const url = `/${alias}+report`
    const ownForm = formOf(await request({ url }))
    const otherForm = formOf(await request({ url }))
    const fields = { reason: 'spam' }
    const rejectedReplies = [
      await postForm(app, url, fields),
      await postForm(app, url, fields, { cookie: ownForm.cookie }),
      await postForm(app, url, { ...fields, csrf: ownForm.csrf }),
      await postForm(app, url, { ...fields, csrf: otherForm.csrf }, { cookie: ownForm.cookie }),
      await app.request({
        method: 'POST',
        url,
        headers: {
          cookie: ownForm.cookie,
          'sec-fetch-site': 'cross-site',
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ ...fields, csrf: ownForm.csrf }).toString(),
      }),
    ]
    expect(rejectedReplies.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403, 403])
    expect(await readReports(id)).toEqual([])
  })

  test('returns 404 for unknown links and hosts, and rejects texts that are too long', async ({
    make,
    owner,
    request,
    reports: { report, readReports },
  }) => {
    const { id, alias } = await make.link(owner)
    for (const url of [
      '/nothing-here+report',
      '/+report',
      `/${alias}+reports`,
      `/${alias}+report+`,
    ]) {
      expect((await request({ url })).statusCode).toBe(404)
    }
    const otherHost = { host: 'unknown.test' }
    expect((await request({ url: `/${alias}+report`, headers: otherHost })).statusCode).toBe(404)
    expect((await report(alias, { reason: 'spam' }, otherHost)).statusCode).toBe(404)
    expect((await report('nothing-here', { reason: 'spam' })).statusCode).toBe(404)
    const huge = await report(alias, { reason: 'spam', text: 'x'.repeat(70_000) })
    expect(huge.statusCode).toBe(413)
    expect(await readReports(id)).toEqual([])
  })

  test('counts one report of a link per IP address and day, and limits reports from an address', async ({
    app,
    make,
    owner,
    reports: { report, readReports, newAddress },
  }) => {
    const address = newAddress()
    const { id, alias } = await make.link(owner)
    for (let n = 0; n < 3; n += 1) {
      expect((await report(alias, { reason: 'spam' }, { address })).statusCode).toBe(200)
    }
    expect(await readReports(id)).toMatchObject([{ spam: 1 }])
    // 20 reports a day are allowed from an IP address.
    for (let n = 0; n < 17; n += 1) await report(alias, { reason: 'spam' }, { address })
    const otherLink = await make.link(owner)
    const rejected = await report(otherLink.alias, { reason: 'spam' }, { address })
    expect([rejected.statusCode, Number(rejected.headers['retry-after']) > 80_000]).toEqual([
      429,
      true,
    ])
    expect(await readReports(otherLink.id)).toEqual([])
    const { rows } = await app.services.database.pool.query(
      "select subject from rate_windows where subject like '%report%'",
    )
    expect(JSON.stringify(rows)).not.toContain(address)
    // Requests over the limit are rejected without a database query.
    await report(otherLink.alias, { reason: 'spam' }, { address })
    const { rows: countedHits } = await app.services.database.pool.query(
      "select max(hits) as hits from rate_windows where subject like 'day:report:%'",
    )
    expect(countedHits).toEqual([{ hits: 21 }])
  })

  test('counts only part of a flood of reports from many addresses', async ({
    make,
    owner,
    reports: { report, readReports },
  }) => {
    const { id, alias } = await make.link(owner)
    const flood = Array.from({ length: 40 }, () => report(alias, { reason: 'spam' }))
    const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await readReports(id)).toMatchObject([{ spam: 30 }])
  })
})
