import { describe, expect } from 'vitest'
import { deleteOwnAccount, finishDeletion } from '../../src/account-deletion/account-deletion.ts'
import { deleteExpired } from '../../src/identity/expired-rows.queries.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import { addReport } from '../../src/reports/report.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import { formOf, postForm } from '../support/forms.ts'
import { HOME, operatorTest } from '../support/operator.ts'

const PATH = `${HOME}/held`

const test = operatorTest().extend('createHold', ({ app, make }) => {
  /** Creates a link in a new account, reports it, and deletes it as its owner. */
  return async ({ url, alias }: { url: string; alias: string }) => {
    const owner = await make.owner()
    const { id, shortUrl } = await make.link(owner, { url, alias })
    const text = '<script>alert(1)</script>'
    await addReport(app.services, app.services.db, id, newAddress(), { reason: 'phishing', text })
    await deleteLink(scopeOf(app.services, owner.account.id), id)
    return { id, shortUrl, owner }
  }
})

describe('the page of held links', () => {
  test('shows reserved links, reasons and owners, with malicious texts escaped', async ({
    app,
    createHold,
    adminConsole: { admin },
  }) => {
    expect((await admin.open(PATH)).body).toContain('No open holds')
    const { id, owner } = await createHold({ url: 'https://evil.example/?"><b>', alias: 'größe' })
    const { body } = await admin.open(PATH)
    expect(body).toContain('<bdi>brev.test/größe</bdi>')
    expect(body).toContain('https://evil.example/?%22%3E%3Cb%3E')
    expect(body).toContain('1 × phishing')
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).not.toContain('<script>alert')
    expect(body).toContain(`<a href="/console/operator/accounts/${owner.account.id}">`)
    expect(body).toContain('href="/console/operator/hosts/new?host=evil.example"')
    await deleteOwnAccount(scopeOf(app.services, owner.account.id))
    await finishDeletion({ db: app.services.db, accountId: owner.account.id })
    expect((await admin.open(PATH)).body).toContain(`${owner.account.username} (account deleted)`)
    expect((await admin.open(`${PATH}?page=2`)).body).not.toContain(`id="held-${id}"`)
  })

  test('confirms and later releases a hold, and logs both', async ({
    app,
    createHold,
    make,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const { id, shortUrl, owner } = await createHold({
      url: 'https://evil.example/2',
      alias: 'confirmed',
    })
    const confirmed = await admin.send(`${PATH}/${id}`, { decision: 'confirm' })
    expect([confirmed.statusCode, confirmed.headers.location]).toEqual([
      303,
      `${PATH}?done=confirm`,
    ])
    const openHolds = await admin.open(`${PATH}?done=confirm`)
    expect(openHolds.body).toContain('Hold confirmed.')
    expect(openHolds.body).not.toContain(`id="held-${id}"`)
    expect(await getLastLogLine(shortUrl)).toMatchObject({
      actor: 'owner1@example.com',
      action: 'hold.confirm',
      detail: `Deleted by ${owner.account.username}`,
    })
    const confirmedHolds = await admin.open(`${PATH}?show=confirmed`)
    expect(confirmedHolds.body).toContain(`id="held-${id}"`)
    expect(confirmedHolds.body).toMatch(/\d\d:\d\d by owner1/)
    const reports = await admin.open(`${HOME}/reports?show=settled`)
    expect(reports.body).toContain('by owner1@example.com: alias and destination stay reserved')
    const lookup = await admin.open(`${HOME}/links?url=confirmed`)
    expect([lookup.statusCode, lookup.body]).toEqual([
      404,
      expect.stringContaining('It is reserved: see Held links.'),
    ])

    const released = await admin.send(`${PATH}/${id}`, { decision: 'release' })
    expect(released.headers.location).toBe(`${PATH}?done=release`)
    expect((await admin.open(`${PATH}?done=release`)).body).toContain('Released.')
    expect(await getLastLogLine(shortUrl)).toMatchObject({ action: 'hold.release' })
    expect((await admin.open(`${PATH}?show=confirmed`)).body).toContain('No confirmed holds')
    await make.link(owner, { url: 'https://evil.example/2', alias: 'confirmed' })
    const secondRelease = await admin.send(`${PATH}/${id}`, { decision: 'release' })
    expect([secondRelease.statusCode, secondRelease.body]).toEqual([
      404,
      expect.stringContaining('This link is no longer held.'),
    ])

    const { db } = app.services.database
    // Decided holds are kept for 90 days.
    const decidedAt = new Date(Date.now() - 91 * 86_400_000)
    await db.updateTable('held_links').set({ decided_at: decidedAt }).where('id', '=', id).execute()
    await deleteExpired(db)
    const rows = await db.selectFrom('held_links').select('id').where('id', '=', id).execute()
    expect(rows).toEqual([])
  })

  test('is only for admins and rejects cross-site forms and invalid decisions', async ({
    app,
    createHold,
    adminConsole: { admin, ordinary },
  }) => {
    const { id } = await createHold({ url: 'https://evil.example/3', alias: 'guarded' })
    const url = `${PATH}/${id}`
    const fields = { decision: 'release' }
    expect((await ordinary.open(PATH)).statusCode).toBe(404)
    expect((await ordinary.send(url, fields)).statusCode).toBe(404)
    const { csrf } = formOf(await ordinary.open('/console'))
    for (const forged of [fields, { ...fields, csrf }]) {
      expect((await postForm(app, url, forged, { cookie: admin.cookie })).statusCode).toBe(403)
    }
    for (const decision of ['', 'toString', 'dismiss']) {
      expect((await admin.send(url, { decision })).statusCode).toBe(400)
    }
    for (const unknownId of ['0', 'x', '999999999']) {
      expect((await admin.send(`${PATH}/${unknownId}`, fields)).statusCode).toBe(404)
    }
    expect((await admin.open(PATH)).body).toContain(`id="held-${id}"`)
  })
})
