import { describe, expect } from 'vitest'
import { blockHost } from '../../src/operator/moderation.service.ts'
import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { commandLine } from '../support/command.ts'
import { signIn } from '../support/console.ts'
import { formOf, postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const PATH = '/console/operator/hosts'
const HOSTILE = '<b>"\'&\u202Ecba</b>'

const test = appTest().extend('setup', { scope: 'file' }, async ({ app, make, owner }) => {
  const ordinary = await make.owner()

  return {
    admin: await signIn(app, owner.account.email),
    ordinary: await signIn(app, ordinary.account.email),
    block: (host: string) => blockHost(app.services, app.services.db, 'root', { host }),
    getStored: (host: string) =>
      app.services.database.db
        .selectFrom('blocked_hosts')
        .select(['host', 'subdomains', 'reason', 'blocked_by'])
        .where('host', '=', host)
        .executeTakeFirst(),
    /** Returns the last lines of the admin log about a host. */
    readLog: async (subject: string) =>
      (await listLogLines(app.services.db, { subject }, { limit: 5 })).map(
        ({ actor, action, detail }) => [actor, action, detail],
      ),
  }
})

describe('the page of blocked hosts', () => {
  test('blocks a host with a reason, lists it, unblocks it, and logs each change', async ({
    owner,
    make,
    setup: { admin, getStored, readLog },
  }) => {
    const { email: actor } = owner.account
    await make.link(owner, { url: 'https://a.shop.example/' })
    const input = { host: 'HTTPS://Shop.Example:8443/x?y', subdomains: 'on', reason: HOSTILE }
    const form = await admin.open(`${PATH}/new?${new URLSearchParams(input)}`)
    expect(form.body).toContain('1 link points there now.')
    expect(form.body).toContain('value="HTTPS://Shop.Example:8443/x?y"')

    const blocked = await admin.send(PATH, input)
    expect([blocked.statusCode, blocked.headers.location]).toEqual([
      303,
      `${PATH}?blocked=shop.example`,
    ])
    const row = { host: 'shop.example', subdomains: true, reason: HOSTILE, blocked_by: actor }
    expect(await getStored('shop.example')).toEqual(row)
    expect(await readLog('*.shop.example')).toEqual([[actor, 'host.block', HOSTILE]])

    const list = await admin.open(`${PATH}?q=SHOP`)
    expect(list.body).toContain('and all its subdomains')
    expect(list.body).toContain('&lt;b&gt;')
    expect(list.body).not.toContain('<b>"')
    expect((await admin.open(`${PATH}?q=none`)).body).toContain('No matches')

    const removal = await admin.open(`${PATH}/remove?host=shop.example`)
    expect(removal.body).toContain('1 link points there now.')
    const unblocked = await admin.send(`${PATH}/remove`, { host: 'shop.example' })
    expect(unblocked.headers.location).toBe(`${PATH}?unblocked=shop.example`)
    expect(await getStored('shop.example')).toBeUndefined()
    expect((await readLog('*.shop.example'))[0]).toEqual([actor, 'host.unblock', null])
    expect((await admin.send(`${PATH}/remove`, { host: 'shop.example' })).statusCode).toBe(404)
  })

  test.for<[Record<string, string>, string]>([
    [{ host: '' }, 'Must be a host name or an IP address.'],
    [{ host: 'a b' }, 'Must be a host name or an IP address.'],
    [{ host: 'a\0b' }, 'Must be a host name or an IP address.'],
    [{ host: '1.2.3.4', subdomains: 'on' }, 'Is an IP address, which has no subdomains.'],
    [{ host: 'long.example', reason: 'x'.repeat(201) }, 'Must be at most 200 characters long.'],
  ])('shows an error next to the field for %j', async ([fields, text], { setup: { admin } }) => {
    const reply = await admin.send(PATH, fields)
    expect([reply.statusCode, reply.body.includes(text)]).toEqual([422, true])
    expect(reply.body).toContain('aria-invalid="true"')
  })

  test('lists hosts on pages and finds none for an invalid host', async ({
    setup: { admin, block },
  }) => {
    for (let number = 0; number < 51; number += 1) await block(`n${number}.many.example`)
    const first = await admin.open(`${PATH}?q=many`)
    expect(first.body).toContain('Page 1 of 2')
    expect((await admin.open(`${PATH}?q=many&page=2`)).body.match(/>Unblock</g)).toHaveLength(1)
    expect((await admin.open(`${PATH}?q=%00%F0`)).statusCode).toBe(200)
    expect((await admin.open(`${PATH}?blocked=Call%20us`)).body).not.toContain('Call us')
    for (const host of ['', 'a%20b', 'none.example', '%00']) {
      expect((await admin.open(`${PATH}/remove?host=${host}`)).statusCode).toBe(404)
    }
  })

  test('is only for admins and rejects cross-site forms', async ({
    app,
    setup: { admin, ordinary, getStored, block },
  }) => {
    await block('kept.example')
    for (const path of [PATH, `${PATH}/new`, `${PATH}/remove?host=kept.example`]) {
      expect((await ordinary.open(path)).statusCode).toBe(404)
      expect((await app.request({ url: path })).headers.location).toContain('/console/sign-in')
    }
    expect((await ordinary.send(PATH, { host: 'forged.example' })).statusCode).toBe(404)
    const removed = await ordinary.send(`${PATH}/remove`, { host: 'kept.example' })
    expect(removed.statusCode).toBe(404)
    const { cookie } = admin
    const { csrf: foreignToken } = formOf(await ordinary.open('/console'))
    const forgeries: Record<string, string>[] = [{ csrf: '' }, { csrf: foreignToken }, {}]
    for (const fields of forgeries) {
      const forged = { host: 'forged.example', ...fields }
      expect((await postForm(app, PATH, forged, { cookie })).statusCode).toBe(403)
    }
    const { csrf } = formOf(await admin.open('/console'))
    const crossSiteReply = await app.request({
      method: 'POST',
      url: PATH,
      headers: {
        cookie,
        'sec-fetch-site': 'cross-site',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ csrf, host: 'forged.example' }).toString(),
    })
    expect(crossSiteReply.statusCode).toBe(403)
    expect([await getStored('forged.example'), await getStored('kept.example')]).toEqual([
      undefined,
      expect.objectContaining({ host: 'kept.example' }),
    ])
  })
})

describe('npx brevis host', () => {
  test('blocks, lists and unblocks, with confirmations', async ({
    app,
    make,
    owner,
    request,
    setup: { readLog },
  }) => {
    const { brevis, brevisJson } = commandLine(app)
    const { alias } = await make.link(owner, { url: 'https://www.cli.example/' })
    expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
    const args = ['host', 'block', 'cli.example', '--subdomains', '--reason', 'Phishing']
    expect(await brevisJson(args)).toEqual({
      host: 'cli.example',
      subdomains: true,
      reason: 'Phishing',
      by: 'command line',
      blocked: expect.any(String),
      links: 1,
    })
    await expect.poll(async () => (await request({ url: `/${alias}` })).statusCode).toBe(410)
    expect(await brevis(['host', 'list'])).toContain('cli.example')
    const unblocked = await brevisJson(['host', 'unblock', 'https://CLI.example/'])
    expect(unblocked).toEqual({ host: 'cli.example', blocked: false })
    expect(await readLog('*.cli.example')).toEqual([
      ['command line', 'host.unblock', null],
      ['command line', 'host.block', 'Phishing'],
    ])
  })
})
