import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { deleteLink, setLinkStatus } from '../../src/links/link.service.ts'
import { bios } from '../../src/resources/bios.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { apiClient } from '../support/api-client.ts'
import { runCommand } from '../support/command.ts'
import { moderate } from '../support/held-links-test.ts'
import { appTest } from '../support/test.ts'

const env = { BASE_URL: 'https://brev.example', LINKS_PER_ACCOUNT: '2' }
const headers = { host: 'brev.example' }

const test = appTest({ env })
  .extend('api', { scope: 'file' }, ({ app, owner, request }) => ({
    send: apiClient({ app, owner }),
    shows: async (alias: string, text: string) =>
      (await request({ url: `/b/${alias}`, headers })).body.includes(text),
    visit: async (path: string) => {
      const reply = await request({ url: path, headers })
      return [reply.statusCode, reply.headers.location]
    },
  }))
  .extend('folder', async ({ app: _ }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'brevis-buttons-'))
    onCleanup(() => rm(folder, { recursive: true, force: true }))
    return folder
  })
  .extend('run', ({ app }) => async (args: string[]) => {
    const result = await runCommand(args, { env: { ...env, DATABASE_URL: app.databaseUrl } })
    expect(result).toMatchObject({ code: 0 })
  })

const shop = { title: 'Shop', url: 'https://shop.example/' }
const blog = { title: 'Blog', url: 'https://blog.example/' }

describe('the link behind a button of a bio page', () => {
  test('counts clicks for the account, but is not listed, searched, exported or limited', async ({
    app,
    make,
    folder,
    run,
    api: { send, visit },
  }) => {
    const caller = await make.owner()
    const { links } = await make.bio(caller, { links: [shop, blog, { url: 'https://c.example/' }] })
    const [button] = links
    expect(await visit(`/${button?.alias}`)).toEqual([302, shop.url])
    await app.importClicks()
    for (const alias of ['first', 'second']) {
      const url = `https://example.com/${alias}`
      const added = await send('POST', '/api/url/add', { url, custom: alias }, caller)
      expect(added.statusCode).toBe(200)
    }
    const get = (path: string) => send('GET', path, undefined, caller)
    expect((await get('/api/urls')).json().data.result).toBe(2)
    expect((await get('/api/urls?q=shop.example')).json().data.result).toBe(0)
    expect((await get(`/api/url/${button?.linkId}`)).statusCode).toBe(404)
    expect((await get(`/api/url/${button?.linkId}/stats`)).statusCode).toBe(404)
    expect(
      (await send('DELETE', `/api/url/${button?.linkId}/delete`, undefined, caller)).statusCode,
    ).toBe(404)
    expect((await get('/api/stats')).json().data).toMatchObject({ clicks: 1, links: [] })

    for (const format of ['csv', 'jsonl']) {
      const file = join(folder, `links.${format}`)
      await run(['export', file, '--account', caller.account.email, '--format', format])
      const exported = await readFile(file, 'utf8')
      expect(exported).toContain('https://example.com/first')
      expect(exported).not.toContain('shop.example')
    }
  })

  test('is published, because the button needs it', async ({ make, folder, run }) => {
    const { links } = await make.bio(await make.owner(), { links: [shop] })
    await run(['publish', join(folder, 'site')])
    const file = join(folder, 'site/hosts/brev.example/links.json')
    const published = JSON.parse(await readFile(file, 'utf8'))
    expect(published.links).toContainEqual({ alias: links[0]?.alias, url: shop.url })
  })

  test('stops redirecting and loses its button while an admin has disabled it', async ({
    app,
    make,
    owner,
    api: { shows, visit },
  }) => {
    const { alias, links } = await make.bio(owner, { links: [shop, blog] })
    const path = `/${links[0]?.alias}`
    await moderate(app, `https://brev.example${path}`, 'disabled', 'Bait')
    expect([await shows(alias, 'Shop'), await shows(alias, 'Blog')]).toEqual([false, true])
    await expect.poll(() => visit(path)).toEqual([410, undefined])
    await moderate(app, `https://brev.example${path}`, 'active')
    expect(await shows(alias, 'Shop')).toBe(true)
    await expect.poll(() => visit(path)).toEqual([302, shop.url])
  })

  test('stays the only button to its destination after an admin has disabled it', async ({
    app,
    make,
    owner,
  }) => {
    const { services } = app
    const url = 'https://bait.example/'
    const bio = await make.bio(owner, { links: [{ url }] })
    await moderate(app, `https://brev.example/${bio.links[0]?.alias}`, 'disabled', 'Bait')
    const update = (links: { title?: string; url: string }[]) =>
      bios.update({ ...services, accountId: owner.account.id }, bio.id, { links })
    await expect(update([{ url }, { title: 'Again', url }])).rejects.toMatchObject({
      code: 'invalid_input',
      field: 'links[1].url',
    })
    expect((await update([{ title: 'Renamed', url }])).links).toMatchObject([
      { title: 'Renamed', linkId: bio.links[0]?.linkId },
    ])
  })

  test('stops redirecting while its account is suspended', async ({
    app,
    make,
    api: { visit },
  }) => {
    const caller = await make.owner()
    const { alias, links } = await make.bio(caller, { links: [shop] })
    await setSuspended(app.services, caller.account.id, true)
    expect(await visit(`/b/${alias}`)).toEqual([410, undefined])
    expect(await visit(`/${links[0]?.alias}`)).toEqual([410, undefined])
  })
})

test('hides a button to a short link while the link is disabled or deleted', async ({
  app,
  make,
  owner,
  api: { shows },
}) => {
  const { services } = app
  const { id, shortUrl } = await make.link(owner)
  const { alias } = await make.bio(owner, { links: [{ title: 'Mine', url: shortUrl }, blog] })
  expect(await shows(alias, 'Mine')).toBe(true)
  await setLinkStatus(scopeOf(services, owner.account.id), id, 'disabled')
  expect(await shows(alias, 'Mine')).toBe(false)
  await setLinkStatus(scopeOf(services, owner.account.id), id, 'active')
  expect(await shows(alias, 'Mine')).toBe(true)
  await deleteLink(scopeOf(services, owner.account.id), id)
  expect(await shows(alias, 'Mine')).toBe(false)
  expect(await shows(alias, 'Blog')).toBe(true)
})
