import { describe, expect } from 'vitest'
import { finishDeletion } from '../../src/account-deletion/account-deletion.ts'
import { getAccount } from '../../src/identity/account.service.ts'
import { createKey } from '../../src/identity/key.service.ts'
import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { setOwnerAdmin, setSuspended } from '../support/accounts.ts'
import { PASSWORD as deletionPassword } from '../support/console.ts'
import { HOME, operatorTest } from '../support/operator.ts'

const test = operatorTest()

describe('the list of accounts', () => {
  test('searches names and email addresses and has pages', async ({
    app,
    adminConsole: { admin },
  }) => {
    await app.services.database.pool.query(
      `insert into accounts (email, username)
       select 'many' || n || '@Example.org', 'many' || n from generate_series(1, 120) n`,
    )
    const listNames = (body: string) =>
      [...body.matchAll(/accounts\/\d+">([^<]+)<\/a>/g)].map(([, name]) => name)
    const findPageLink = (body: string, rel: string) =>
      new RegExp(`rel="${rel}" href="([^"]+)"`).exec(body)?.[1]?.replaceAll('&amp;', '&')
    const pages: string[] = []
    let url: string | undefined = `${HOME}/accounts?q=MANY`
    while (url !== undefined && pages.length < 9) {
      const { body } = await admin.open(url)
      pages.push(body)
      url = findPageLink(body, 'next')
    }
    const all = Array.from({ length: 120 }, (_, index) => `many${120 - index}`)
    expect(pages.map((body) => listNames(body).length)).toEqual([50, 50, 20])
    expect(pages.flatMap(listNames)).toEqual(all)
    const previousPage = await admin.open(String(findPageLink(String(pages[2]), 'prev')))
    expect(listNames(previousPage.body)).toEqual(all.slice(50, 100))
    const front = await admin.open(String(findPageLink(previousPage.body, 'prev')))
    expect(listNames(front.body)).toEqual(all.slice(0, 50))
    expect(findPageLink(front.body, 'prev')).toBeUndefined()
    const found = await admin.open(`${HOME}/accounts?q=${encodeURIComponent('Y7@example.org')}`)
    expect(listNames(found.body)).toEqual(['many7'])
  })

  test.for([
    ['/accounts?q=%00', 'No matches'],
    ['/accounts?q=%ED%A0%80', 'No matches'],
    ['/accounts?q=100%25', 'No matches'],
    ['/accounts?q=a&q=b&state=nothing&before=0&after=x', 'Accounts'],
    ['/accounts?before=999999999999999', 'many120'],
  ] as const)('handles %s', async ([path, text], { adminConsole }) => {
    const { statusCode, body } = await adminConsole.admin.open(`${HOME}${path}`)
    expect([statusCode, body]).toEqual([200, expect.stringContaining(text)])
  })

  test('is filtered by state', async ({ make, adminConsole: { admin } }) => {
    await make.owner({ username: 'lively' })
    for (const [state, isShown] of [
      ['active', true],
      ['suspended', false],
      ['deleting', false],
      ['admin', false],
    ] as const) {
      const { body } = await admin.open(`${HOME}/accounts?q=lively&state=${state}`)
      expect([state, body.includes('>lively</a>')]).toEqual([state, isShown])
    }
  })
})

describe('the page of an account', () => {
  test('shows the account without its keys', async ({ app, make, adminConsole: { admin } }) => {
    const owner = await make.owner({ username: 'shown', email: 'shown@example.net' })
    const { key } = await createKey(scopeOf(app.services, owner.account.id), {
      name: '<b>My key</b>',
    })
    await make.link(owner, { alias: 'shown-link' })
    await app.request({ url: '/shown-link', headers: { 'user-agent': 'Mozilla/5.0 Firefox' } })
    await app.importClicks()
    const { body } = await admin.open(`${HOME}/accounts/${owner.account.id}`)
    for (const text of ['shown@example.net', '<dd>Active</dd>', '&lt;b&gt;My key&lt;/b&gt;']) {
      expect(body).toContain(text)
    }
    expect(body).toMatch(/<dt>Links<\/dt><dd>1<\/dd>\s*<dt>Clicks<\/dt><dd>1<\/dd>/)
    for (const secret of [key, owner.key]) {
      expect(body).toContain(`${secret.slice(0, 10)}…`)
      expect(body).not.toContain(secret.slice(0, 12))
    }
  })

  test('shows only predefined confirmations', async ({
    make,
    adminConsole: { admin, ordinaryId },
  }) => {
    const { shortUrl: url } = await make.link(await make.owner())
    for (const path of [
      `/accounts/${ordinaryId}?done=constructor`,
      `/links?${new URLSearchParams({ url, done: 'constructor' })}`,
    ]) {
      const { statusCode, body } = await admin.open(`${HOME}${path}`)
      expect([statusCode, body.includes('native code')]).toEqual([200, false])
    }
  })

  test('suspends the account with a reason, resumes it, and logs both', async ({
    make,
    request,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const owner = await make.owner({ username: 'spammer' })
    const path = `${HOME}/accounts/${owner.account.id}`
    const status = async () =>
      (await request({ url: '/api/account', headers: owner.headers })).statusCode
    const suspended = await admin.send(`${path}/suspend`, { reason: ' =SPAM() ' })
    expect([suspended.statusCode, suspended.headers.location]).toEqual([
      303,
      `${path}?done=suspended`,
    ])
    expect(await status()).toBe(403)
    expect(await getLastLogLine()).toMatchObject({
      actor: 'owner1@example.com',
      action: 'account.suspend',
      subject: 'spammer',
      detail: '=SPAM()',
    })
    const page = await admin.open(`${path}?done=suspended`)
    expect(page.body).toContain('<dd>Suspended</dd>')
    expect(page.body).toContain('=SPAM()')
    expect((await admin.open(`${HOME}/log.csv`)).body).toContain("'=SPAM()")
    await admin.send(`${path}/resume`)
    expect(await status()).toBe(200)
    expect(await getLastLogLine()).toMatchObject({ action: 'account.resume', subject: 'spammer' })
    const long = await admin.send(`${path}/suspend`, { reason: 'x'.repeat(201) })
    expect([long.statusCode, long.body]).toEqual([
      422,
      expect.stringMatching(/id="reason-error" role="alert">[^<]*200 characters/),
    ])
    expect(await status()).toBe(200)
  })

  test('sets the plan and the expiration', async ({
    app,
    make,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const { account } = await make.owner({ username: 'planned' })
    const path = `${HOME}/accounts/${account.id}`
    await admin.send(`${path}/plan`, { plan: 'pro', expires: '2999-01-31' })
    expect(await getAccount(app.services.db, account.id)).toMatchObject({
      plan: 'pro',
      expiresAt: new Date('2999-01-31T23:59:59.999Z'),
    })
    expect(await getLastLogLine()).toMatchObject({ action: 'account.plan', subject: 'planned' })
    const wrong = await admin.send(`${path}/plan`, { plan: 'free', expires: '2001-01-01' })
    expect([wrong.statusCode, wrong.body]).toEqual([
      422,
      expect.stringContaining('id="expires-error"'),
    ])
    expect((await admin.send(`${path}/plan`, { plan: 'gold' })).statusCode).toBe(400)
    expect(await getAccount(app.services.db, account.id)).toMatchObject({ plan: 'pro' })
    await admin.send(`${path}/plan`, { plan: 'free', expires: '' })
    expect(await getAccount(app.services.db, account.id)).toMatchObject({ expiresAt: null })
  })

  test('does not log an unchanged plan', async ({ app, make, adminConsole: { admin } }) => {
    const { account } = await make.owner({ username: 'unchanged' })
    const path = `${HOME}/accounts/${account.id}`
    await admin.send(`${path}/plan`, { plan: 'pro', expires: '2999-01-31' })
    const plan = await admin.send(`${path}/plan`, { plan: 'pro', expires: '2999-01-31' })
    expect(plan.headers.location).toBe(`${path}?done=nothing`)
    expect((await admin.open(`${path}?done=nothing`)).body).toContain('No changes to save.')
    const logged = await listLogLines(app.services.db, { subject: 'unchanged' }, { limit: 9 })
    expect(logged.map(({ action }) => action)).toEqual(['account.plan'])
  })

  test.for(['suspend', 'delete'])(
    'keeps one of two admins who concurrently %s each other',
    async (submitAction, { app, make, owner, adminConsole: { signedIn } }) => {
      const target = (await make.owner({ username: `${submitAction}-one` })).account
      const two = (await make.owner({ username: `${submitAction}-two` })).account
      for (const { id } of [target, two]) await setOwnerAdmin(app.services, id, true)
      await setOwnerAdmin(app.services, owner.account.id, false)
      const first = await signedIn(target.id)
      const second = await signedIn(two.id)
      await Promise.all([
        first.send(`${HOME}/accounts/${two.id}/${submitAction}`, {
          username: two.username,
          deletionPassword,
        }),
        second.send(`${HOME}/accounts/${target.id}/${submitAction}`, {
          username: target.username,
          deletionPassword,
        }),
      ])
      const remaining = [
        await getAccount(app.services.db, target.id),
        await getAccount(app.services.db, two.id),
      ]
      const unsuspended = remaining.filter(({ suspended }) => !suspended)
      expect(unsuspended).toHaveLength(1)
      const last = unsuspended[0]?.id === target.id ? first : second
      const { username = '', id = 0 } = unsuspended[0] ?? {}
      const rejected = await last.send('/console/account/delete', {
        username,
        deletionPassword,
      })
      expect([rejected.statusCode, rejected.body]).toEqual([
        409,
        expect.stringContaining('This is the only admin.'),
      ])
      await expect(setSuspended(app.services, id, true)).rejects.toMatchObject({
        code: 'last_admin',
      })
      await setOwnerAdmin(app.services, owner.account.id, true)
      await setOwnerAdmin(app.services, id, false)
    },
  )

  test("does not suspend or delete the admin's own account", async ({
    app,
    owner,
    adminConsole: { admin },
  }) => {
    const { id, username } = owner.account
    const path = `${HOME}/accounts/${id}`
    const { body } = await admin.open(path)
    expect(body).toContain('Your own account')
    expect(body).not.toMatch(/\/(suspend|delete)"/)
    for (const submitAction of ['suspend', 'delete']) {
      expect(
        (await admin.send(`${path}/${submitAction}`, { username, deletionPassword })).statusCode,
      ).toBe(403)
    }
    expect(await getAccount(app.services.db, id)).toMatchObject({ suspended: false })
  })

  test("deletes the account after the username and the admin's password are entered, and logs the name", async ({
    app,
    make,
    adminConsole: { admin, getLastLogLine },
  }) => {
    const owner = await make.owner({ username: 'doomed' })
    await make.link(owner, { alias: 'doomed-link' })
    const { id } = owner.account
    const path = `${HOME}/accounts/${id}`
    const wrong = await admin.send(`${path}/delete`, { username: 'doomed2', deletionPassword })
    expect([wrong.statusCode, wrong.body]).toEqual([
      422,
      expect.stringContaining('id="username-error"'),
    ])
    for (const password of ['', 'the password of the doomed']) {
      const fields = { username: 'doomed', deletionPassword: password }
      const rejected = await admin.send(`${path}/delete`, fields)
      expect([rejected.statusCode, rejected.body]).toEqual([
        422,
        expect.stringContaining('id="deletionPassword-error"'),
      ])
    }
    expect(await getAccount(app.services.db, id)).toMatchObject({ suspended: false })
    const fields = { username: 'doomed', deletionPassword }
    const { headers } = await admin.send(`${path}/delete`, fields)
    expect(headers.location).toBe(`${HOME}/accounts?done=deleted`)
    expect((await app.request({ url: '/doomed-link' })).statusCode).toBe(410)
    const page = await admin.open(path)
    expect(page.body).toContain('<dd>Being deleted</dd>')
    expect(page.body).not.toContain('<form method="post" action="/console/operator')
    await finishDeletion({ db: app.services.db, accountId: id })
    expect((await admin.open(path)).statusCode).toBe(404)
    expect(await getLastLogLine('doomed')).toMatchObject({
      action: 'account.delete',
      actor: 'owner1@example.com',
    })
    expect((await admin.open(`${HOME}/log?subject=DOOMED`)).body).toContain('deleted account')
  })

  test.for(['0', 'x', '999999999', '1e3', '9'.repeat(30)])(
    'returns 404 for the account %s',
    async (id, { adminConsole }) => {
      const path = `${HOME}/accounts/${id}`
      expect((await adminConsole.admin.open(path)).statusCode).toBe(404)
      expect((await adminConsole.admin.send(`${path}/suspend`)).statusCode).toBe(404)
    },
  )
})

test("creates no account and mails nobody without the admin's password", async ({
  app,
  adminConsole: { admin },
}) => {
  const fields = { email: 'stranger@example.org', username: 'stranger', ownPassword: '' }
  const reply = await admin.send(`${HOME}/accounts`, fields)
  expect([reply.statusCode, reply.body]).toEqual([
    422,
    expect.stringContaining('id="ownPassword-error"'),
  ])
  const { db } = app.services
  const users = db.selectFrom('users').select('id').where('email', '=', fields.email)
  expect(await users.execute()).toEqual([])
})
