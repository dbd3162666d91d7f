import { describe, expect, vi } from 'vitest'
import { deleteLink, getLink, setLinkStatus, updateLink } from '../../src/links/link.service.ts'
import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { commandLine, runCommand } from '../support/command.ts'
import { postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('cli', { scope: 'file' }, ({ app }) => commandLine(app))

describe('`brevis link held`, `confirm` and `release`', () => {
  test('list a deleted link whose alias is held, and confirm or release it', async ({
    app,
    make,
    cli: { settings, brevisJson },
  }) => {
    const owner = await make.owner()
    const { id, alias, shortUrl } = await make.link(owner, { url: 'https://evil.example/' })
    await brevisJson(['link', 'disable', shortUrl, '--reason', 'Bait'])
    await deleteLink(scopeOf(app.services, owner.account.id), id)
    const heldLink = {
      id,
      shorturl: shortUrl,
      destinations: ['https://evil.example/'],
      reason: 'Bait',
    }
    expect(await brevisJson(['link', 'held'])).toMatchObject({ links: [heldLink] })
    expect(await brevisJson(['link', 'confirm', String(id)])).toMatchObject({
      ...heldLink,
      decision: 'confirm',
    })
    expect(await brevisJson(['link', 'held'])).toEqual({ links: [] })
    expect(await brevisJson(['link', 'held', '--confirmed'])).toMatchObject({ links: [heldLink] })
    await expect(make.link(owner, { alias })).rejects.toMatchObject({ code: 'alias_held' })
    await brevisJson(['link', 'release', String(id)])
    await make.link(owner, { alias, url: 'https://evil.example/' })
    const [line] = await listLogLines(app.services.db, { subject: shortUrl }, { limit: 1 })
    expect(line).toMatchObject({ actor: 'command line', action: 'hold.release' })
    for (const [invalidId, message] of [
      [String(id), 'This link is no longer held.'],
      ['x', 'id must be a positive whole number'],
    ] as const) {
      const outcome = await runCommand(['link', 'release', invalidId], { env: settings() })
      expect(outcome).toEqual({ code: 1, stdout: '', stderr: `brevis: ${message}\n` })
    }
  })
})

describe('`brevis link disable` and `enable`', () => {
  test("take effect for visitors of any account's link within a second", async ({
    make,
    request,
    cli: { brevis, brevisJson },
  }) => {
    const owner = await make.owner()
    await make.domain(owner, { domain: 'https://shop.example' })
    const links = [
      await make.link(owner),
      await make.link(owner, { domain: 'shop.example', alias: 'größe' }),
    ]
    for (const { id, alias, shortUrl, url } of links) {
      const { host } = new URL(shortUrl)
      const visit = () => request({ url: `/${encodeURIComponent(alias)}`, headers: { host } })
      const status = async () => (await visit()).statusCode
      const expected = { id, account: owner.account.email, shorturl: shortUrl, longurl: url }
      expect(await status()).toBe(302)
      expect(await brevisJson(['link', 'disable', shortUrl])).toEqual({
        ...expected,
        status: 'disabled',
        changed: true,
      })
      await vi.waitUntil(async () => (await status()) === 410, { timeout: 60_000 })
      const again = await brevisJson(['link', 'disable', shortUrl.replace(/^https?:../, '')])
      expect(again).toEqual({ ...expected, status: 'disabled', changed: false })
      expect(await brevis(['link', 'enable', shortUrl])).toMatch(/^status +active$/m)
      await vi.waitUntil(async () => (await status()) === 302, { timeout: 60_000 })
    }
  })

  test('prevent the owner from enabling a link disabled by an admin', async ({
    app,
    make,
    request,
    cli: { brevisJson },
  }) => {
    const owner = await make.owner()
    const { id, shortUrl } = await make.link(owner)

    await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'disabled')
    await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'active')
    await brevisJson(['link', 'disable', shortUrl, '--reason', ' <b>Phishing</b> '])
    const encodedUrl = Buffer.from(shortUrl).toString('base64url')
    const enable = () =>
      request({ url: `/api/v1/${owner.key}/shorturl/enable/short_url/${encodedUrl}.json` })
    const rejected = await enable()
    expect(rejected.statusCode).toBe(403)
    expect(rejected.json().data.message).toBe(
      'The operator has disabled this link. Only the operator can enable it.',
    )
    await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'disabled')
    await updateLink(scopeOf(app.services, owner.account.id), id, {
      url: 'https://example.com/other',
    })
    expect((await enable()).statusCode).toBe(403)
    expect(await getLink(scopeOf(app.services, owner.account.id), id)).toMatchObject({
      status: 'disabled',
      block: { at: expect.any(Date), reason: '<b>Phishing</b>' },
    })
    await brevisJson(['link', 'enable', shortUrl])
    expect(await getLink(scopeOf(app.services, owner.account.id), id)).toMatchObject({
      status: 'active',
      block: null,
    })
    await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'disabled')
    expect((await enable()).statusCode).toBe(200)
  })

  test.for([
    ['http://brev.test/nothing', 'There is no link at http://brev.test/nothing.'],
    ['http://unknown.example/x', 'There is no link at http://unknown.example/x.'],
    ['not a URL', 'url must be a short link or an alias'],
  ] as const)(
    'print an error on one line for %s',
    async ([url, message], { cli: { settings } }) => {
      const outcome = await runCommand(['link', 'disable', url], { env: settings() })
      expect(outcome).toEqual({ code: 1, stdout: '', stderr: `brevis: ${message}\n` })
    },
  )
})

test("`brevis link guesses` shows the password guesses for any account's link", async ({
  app,
  make,
  cli: { brevisJson, settings },
}) => {
  const owner = await make.owner()
  const { id, alias, shortUrl } = await make.link(owner, { password: 'open sesame' })
  const expected = { id, account: owner.account.email, shorturl: shortUrl }
  const noGuesses = { ...expected, wrong: 0, waitsuntil: null, known: 0 }
  expect(await brevisJson(['link', 'guesses', shortUrl])).toEqual(noGuesses)
  await postForm(app, `/${alias}`, { password: 'open sesame' })
  await postForm(app, `/${alias}`, { password: 'wrong' })
  expect(await brevisJson(['link', 'guesses', shortUrl])).toEqual({
    ...noGuesses,
    wrong: 1,
    known: 1,
  })
  await app.services.database.pool.query(
    `update link_guesses set wrong = 33, waits_until = '2099-01-31 12:00:00Z'`,
  )
  expect(await brevisJson(['link', 'guesses', shortUrl])).toMatchObject({
    wrong: 33,
    waitsuntil: '2099-01-31 12:00:00',
  })
  const outcome = await runCommand(['link', 'guesses', `${shortUrl}x`], { env: settings() })
  expect(outcome.stderr).toBe(`brevis: There is no link at ${shortUrl}x.\n`)
})
