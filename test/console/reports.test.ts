import { describe, expect, vi } from 'vitest'
import { blockHost, findBlockedHost } from '../../src/blocked-hosts/blocked-host.service.ts'
import { deleteExpired } from '../../src/identity/expired-rows.queries.ts'
import { deleteLink, setLinkStatus, updateLink } from '../../src/links/link.service.ts'
import { emptyOwnTrash } from '../../src/links/trash.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { type Fields, formOf, postForm } from '../support/forms.ts'
import { PATH, reportsTest } from '../support/reports-test.ts'

const test = reportsTest()

describe('the page of reports', () => {
  test('shows escaped reports, the most reported link first', async ({
    make,
    reports: { other, admin, report },
  }) => {
    const firstLink = await make.link(other)
    const secondLink = await make.link(other, { url: `https://long.example/${'x'.repeat(2000)}` })
    await report(firstLink.id, { text: '<img src=x onerror=alert(1)>' })
    await report(secondLink.id, { times: 3, reason: 'malware' })
    await report(secondLink.id, { reason: 'spam' })
    const { statusCode, body } = await admin.open(PATH)
    expect(statusCode).toBe(200)
    expect(body.indexOf(`brev.test/${secondLink.alias}`)).toBeLessThan(
      body.indexOf(`brev.test/${firstLink.alias}`),
    )
    expect(body).toContain('3 × malware, 1 × spam')
    expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(body).not.toContain('<img src=x')
    expect(body).not.toContain('x'.repeat(400))
  })

  test('disables the link permanently for its owner and settles all of its reports', async ({
    app,
    make,
    owner,
    reports: { other, admin, report, decide, getDecision, listLog, visit },
  }) => {
    const { id, alias, shortUrl } = await make.link(other, { url: 'https://disabled.example/' })
    const reports = await report(id, { times: 2 })
    expect(await visit(alias)).toBe(302)
    const reply = await decide(reports, { decision: 'disable' })
    expect([reply.statusCode, reply.headers.location]).toEqual([303, `${PATH}?done=disable`])
    expect((await admin.open(`${PATH}?done=disable`)).body).toContain('Link disabled.')
    await vi.waitUntil(async () => (await visit(alias)) === 410, { timeout: 60_000 })
    const { email: actor } = owner.account
    expect(await getDecision(reports)).toEqual({ decision: 'disable', settled_by: actor })
    expect(await listLog(shortUrl)).toEqual([
      [actor, 'link.disable', 'Reported by visitors: 2 phishing'],
    ])
    const enabling = setLinkStatus(scopeOf(app.services, other.account.id), id, 'active')
    await expect(enabling).rejects.toMatchObject({ code: 'link_blocked' })
    expect((await admin.open(PATH)).body).not.toContain(`brev.test/${alias}<`)
    const settled = await admin.open(`${PATH}?show=settled`)
    expect(settled.body).toContain(`by ${actor}: the link was disabled`)
    const again = await admin.send(`${PATH}/${reports}`, { decision: 'dismiss' })
    expect([again.statusCode, again.body.includes('have been settled already')]).toEqual([
      404,
      true,
    ])
    expect(await report(id)).not.toBe(reports)
  })

  test('blocks the host and keeps subdomains blocked', async ({
    app,
    make,
    reports: { other, admin, ordinary, report, decide, getDecision, listLog, visit },
  }) => {
    const { id, alias } = await make.link(other, { url: 'https://Evil.example:444/a' })
    const reports = await report(id)
    await decide(reports, { block: 'evil.example' })
    expect(await getDecision(reports)).toMatchObject({ decision: 'block' })
    expect((await admin.open(`${PATH}?show=settled`)).body).toContain('Its host is blocked')
    for (const path of [`/console/links/${id}`, '/console/links']) {
      expect((await ordinary.open(path)).body).toContain('Blocked')
    }
    await vi.waitUntil(async () => (await visit(alias)) === 410, { timeout: 60_000 })
    expect(await listLog('evil.example')).toMatchObject([
      [expect.any(String), 'host.block', 'Reported by visitors: 1 phishing'],
    ])
    await blockHost(app.services, app.services.db, { host: '*.evil.example', by: 'root' })
    await decide(await report(id), { block: 'evil.example' })
    expect(await findBlockedHost(app.services.db, 'evil.example')).toMatchObject({
      subdomains: true,
    })
  })

  test("suspends the account and settles the reports of all its links, but never suspends the admin's own account", async ({
    make,
    owner,
    reports: { report, decide, getDecision, listLog, visit },
  }) => {
    const bad = await make.owner({ username: 'bad' })
    const links = [await make.link(bad), await make.link(bad)]
    const ids = [await report(links[0]?.id ?? 0), await report(links[1]?.id ?? 0)]
    await decide(ids[0] ?? 0, { decision: 'suspend' })
    for (const id of ids) expect(await getDecision(id)).toMatchObject({ decision: 'suspend' })
    await vi.waitUntil(async () => (await visit(links[1]?.alias ?? '')) === 410, {
      timeout: 60_000,
    })
    expect(await listLog('bad')).toHaveLength(1)

    const ownReport = await report((await make.link(owner)).id)
    const rejected = await decide(ownReport, { decision: 'suspend' })
    expect([rejected.statusCode, rejected.body.includes('This is your own account.')]).toEqual([
      403,
      true,
    ])
    expect(await getDecision(ownReport)).toEqual({ decision: null, settled_by: null })
  })

  test.for(['disable', 'suspend', 'dismiss', 'block'])(
    'does not %s if the destination has changed, and shows the new one',
    async (decision, {
      app,
      make,
      reports: { other, admin, report, decide, getDecision, listLog },
    }) => {
      const { id, shortUrl } = await make.link(other, { url: 'https://shown.example/' })
      const reports = await report(id)
      const choice: Fields = decision === 'block' ? { block: 'shown.example' } : { decision }
      const url = 'https://innocent.example/'
      const reply = await decide(reports, choice, () =>
        updateLink(scopeOf(app.services, other.account.id), id, { url }),
      )
      expect([reply.statusCode, reply.body]).toEqual([
        409,
        expect.stringContaining('has changed in the meantime'),
      ])
      expect(reply.body).toContain(`<dt>Destination</dt><dd class="address">${url}</dd>`)
      expect(await getDecision(reports)).toEqual({ decision: null, settled_by: null })
      expect(await listLog(shortUrl)).toEqual([])
      for (const host of ['shown.example', 'innocent.example']) {
        expect(await findBlockedHost(app.services.db, host)).toBeUndefined()
      }
      expect((await decide(reports, { block: 'elsewhere.example' })).statusCode).toBe(400)
      expect((await admin.send(`${PATH}/${reports}`, choice)).statusCode).toBe(409)
    },
  )

  test('shows all hosts of a link and blocks the selected one', async ({
    app,
    make,
    reports: { other, admin, report, decide, getDecision },
  }) => {
    const overlay = await make.overlay(other, { link: 'https://overlay.example/' })
    const { id, shortUrl } = await make.link(other, {
      url: 'https://decoy.example/',
      geoTargets: [{ location: 'Germany', link: 'https://cloaked.example/login' }],
      deviceTargets: [{ device: 'iPhone', link: 'https://phone.example/' }],
      languageTargets: [{ language: 'de', link: 'https://language.example/' }],
      type: `overlay-${overlay.id}`,
    })
    const reports = await report(id)
    const { body } = await admin.open(PATH)
    const page = await admin.open(
      `/console/operator/links?${new URLSearchParams({ url: shortUrl })}`,
    )
    for (const name of ['decoy', 'cloaked', 'phone', 'language', 'overlay']) {
      expect(body).toContain(`name="block" value="${name}.example"`)
      expect(page.body).toContain(`https://${name}.example/`)
    }
    await decide(reports, { block: 'cloaked.example' })
    expect(await getDecision(reports)).toMatchObject({ decision: 'block' })
    expect(await findBlockedHost(app.services.db, 'cloaked.example')).toBeDefined()
    expect(await findBlockedHost(app.services.db, 'decoy.example')).toBeUndefined()
    expect((await admin.open(`${PATH}?show=settled`)).body).toContain(
      'Some of its hosts are blocked',
    )
  })

  test('shows reported destinations and blocks their host', async ({
    app,
    make,
    reports: { other, admin, report, decide },
  }) => {
    const { id } = await make.link(other, { url: 'https://was-evil.example/login' })
    const reports = await report(id)
    await updateLink(scopeOf(app.services, other.account.id), id, {
      url: 'https://harmless.example/',
    })
    const { body } = await admin.open(PATH)
    expect(body).toMatch(
      /<dt>Destination when reported<\/dt><dd[^>]*>https:\/\/was-evil\.example\/login<\/dd>/,
    )
    const reply = await decide(reports, { block: 'was-evil.example' })
    expect(reply.headers.location).toBe(`${PATH}?done=block`)
    expect(await findBlockedHost(app.services.db, 'was-evil.example')).toBeTruthy()
  })

  test('dismisses reports without changing the link', async ({
    make,
    reports: { other, report, decide, getDecision, listLog, visit },
  }) => {
    const { id, alias, shortUrl } = await make.link(other)
    const reports = await report(id, { reason: 'other' })
    await decide(reports, { decision: 'dismiss' })
    expect([await visit(alias), await getDecision(reports)]).toMatchObject([
      302,
      { decision: 'dismiss' },
    ])
    expect(await listLog(shortUrl)).toMatchObject([
      [expect.any(String), 'report.dismiss', '1 other'],
    ])
  })

  test('applies only one of two concurrent decisions', async ({
    make,
    reports: { other, report, decide, listLog },
  }) => {
    const { id, shortUrl } = await make.link(other, { url: 'https://contested.example/' })
    const reports = await report(id)
    const replies = await Promise.all(
      ['dismiss', 'disable'].map((decision) => decide(reports, { decision })),
    )
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([303, 404])
    expect(await listLog(shortUrl)).toHaveLength(1)
  })

  test('is only for admins and rejects cross-site forms and invalid decisions', async ({
    app,
    make,
    reports: { other, admin, ordinary, report, getDecision },
  }) => {
    const id = await report((await make.link(other)).id)
    const url = `${PATH}/${id}`
    const fields = { decision: 'dismiss' }
    expect((await ordinary.open(PATH)).statusCode).toBe(404)
    expect((await ordinary.send(url, fields)).statusCode).toBe(404)
    expect((await app.request({ url: PATH })).headers.location).toContain('/console/sign-in')
    const { csrf } = formOf(await ordinary.open('/console'))
    for (const forged of [fields, { ...fields, csrf }]) {
      expect((await postForm(app, url, forged, { cookie: admin.cookie })).statusCode).toBe(403)
    }
    expect((await admin.send(url, { decision: 'toString' })).statusCode).toBe(400)
    for (const wrong of ['0', 'x', '999999999']) {
      expect((await admin.send(`${PATH}/${wrong}`, fields)).statusCode).toBe(404)
    }
    expect(await getDecision(id)).toEqual({ decision: null, settled_by: null })
  })

  test('deletes reports that were settled 90 days ago or belong to deleted links', async ({
    app,
    make,
    reports: { other, report, decide, getDecision },
  }) => {
    const { db } = app.services.database
    const { id } = await make.link(other)
    const old = await report(id)
    await decide(old, { decision: 'dismiss' })
    const recent = await report(id)
    await decide(recent, { decision: 'dismiss' })
    await db
      .updateTable('link_reports')
      .set({ settled_at: new Date(Date.now() - 91 * 86_400_000) })
      .where('id', '=', old)
      .execute()
    await deleteExpired(db)
    expect([await getDecision(old), await getDecision(recent)]).toMatchObject([
      undefined,
      { decision: 'dismiss' },
    ])
    await deleteLink(scopeOf(app.services, other.account.id), id)
    await emptyOwnTrash(scopeOf(app.services, other.account.id))
    expect(await getDecision(recent)).toBeUndefined()
  })
})
