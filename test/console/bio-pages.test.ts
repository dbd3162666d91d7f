import sharp from 'sharp'
import { describe, expect } from 'vitest'
import { blockHost } from '../../src/blocked-hosts/blocked-host.service.ts'
import { deleteLink, setLinkStatus } from '../../src/links/link.service.ts'
import { getAnyLink } from '../../src/links/link-moderation.ts'
import { bios } from '../../src/resources/bios.ts'
import { scopeOf } from '../../src/scope.ts'
import { linkListTest } from '../support/link-list.ts'

const test = linkListTest()

const createPicture = (width = 500, height = 300) =>
  sharp({ create: { width, height, channels: 3, background: '#123456' } })
    .png()
    .toBuffer()

describe('the picture of a bio page', () => {
  test('is uploaded, served and removed', async ({ app, person, request }) => {
    const fields = { title: 'Anna', alias: 'anna', text: '', theme: 'color', color: '#AA3300' }
    const links = {
      'links-title': ['Shop', 'Blog'],
      'links-url': ['https://a.example', 'https://b.example'],
    }
    const saved = await person.send('/console/bios', {
      ...fields,
      ...links,
      picture: await createPicture(),
    })
    const [, id] = /^\/console\/bios\/(\d+)\/edit$/.exec(String(saved.headers.location)) ?? []
    expect([saved.statusCode, id]).toEqual([303, expect.any(String)])
    const editor = await person.open(`/console/bios/${id}/edit`)
    expect(editor.body).toContain('id="page" data-text="http://brev.test/b/anna"')
    expect((await person.open('/console/bios')).body).toContain('href="http://brev.test/b/anna"')
    const page = await request({ url: '/b/anna' })
    const [, src = ''] = /<img src="([^"]+)"/.exec(page.body) ?? []
    expect(src).toMatch(/^\/b\/anna\/picture\.png\?v=[0-9a-f]{16}$/)
    expect(page.body).toContain(
      `property="og:image" content="${app.services.config.baseUrl}${src}"`,
    )
    expect(page.body).toContain('--paper: #aa3300')
    expect(page.body).toMatch(/<strong dir="auto">Shop.*<strong dir="auto">Blog/s)

    const image = await request({ url: src })
    expect([image.statusCode, image.headers['content-type']]).toEqual([200, 'image/png'])
    expect(image.headers['x-content-type-options']).toBe('nosniff')
    const { format, width, height } = await sharp(image.rawPayload).metadata()
    expect([format, width, height]).toEqual(['png', 256, 256])
    const conditions = { 'if-none-match': String(image.headers.etag) }
    expect((await request({ url: src, headers: conditions })).statusCode).toBe(304)

    expect((await person.open(`/console/bios/${id}/edit`)).body).toContain(`src="${src}"`)
    expect((await person.open(`/console/bios/${id}/preview`)).body).toContain('data:image/png')
    // Without a new upload, the form keeps the picture. It also shows it after an error.
    await person.send(`/console/bios/${id}`, { ...fields, picture: Buffer.alloc(0) })
    expect((await request({ url: src })).statusCode).toBe(200)
    const unsupported = await person.send(`/console/bios/${id}`, {
      ...fields,
      picture: Buffer.from('GIF89a, an unsupported format'),
    })
    expect([unsupported.statusCode, unsupported.body]).toEqual([
      422,
      expect.stringContaining('id="picture-error"'),
    ])
    expect(unsupported.body).toContain(`src="${src}"`)
    const tooLarge = await person.send(`/console/bios/${id}`, {
      ...fields,
      picture: Buffer.concat([await createPicture(), Buffer.alloc(1_048_576)]),
    })
    expect([tooLarge.statusCode, tooLarge.body]).toEqual([
      422,
      expect.stringContaining('Must be at most 1 MiB.'),
    ])

    await person.send(`/console/bios/${id}`, { ...fields, 'remove-picture': 'on' })
    expect((await request({ url: src })).statusCode).toBe(404)
    expect((await request({ url: '/b/anna' })).body).not.toContain('<img')
    await person.send(`/console/bios/${id}`, { ...fields, picture: await createPicture() })
    expect((await request({ url: src })).statusCode).toBe(200)
    await person.send(`/console/bios/${id}/delete`)
    expect((await request({ url: src })).statusCode).toBe(404)
  })

  test('is previewed before it is saved', async ({ person }) => {
    const input = { title: 'Anna', alias: 'x', picture: await createPicture() }
    const preview = await person.send('/console/bios/preview', input)
    expect([preview.statusCode, preview.body]).toEqual([
      200,
      expect.stringContaining('data:image/png'),
    ])
  })
})

describe('the buttons of a bio page', () => {
  test('count their clicks for the editor and the API', async ({
    app,
    make,
    owner,
    person,
    request,
  }) => {
    const ownLink = await make.link(owner)
    const { id, alias } = await make.bio(owner, {
      links: [
        { title: 'Shop', url: 'https://a.example/' },
        { title: 'Blog', url: 'https://b.example/' },
        { title: 'Short', url: ownLink.shortUrl },
      ],
    })
    const readButtonUrls = async () => {
      const { body } = await request({ url: `/b/${alias}` })
      return [...body.matchAll(/class="row" href="([^"]+)"/g)].map(([, href = '']) => href)
    }
    const [shop = '', blog = '', short = ''] = await readButtonUrls()
    expect([shop, blog]).toEqual([expect.stringMatching(/^\/\w{7}$/), expect.anything()])
    expect(short).toBe(ownLink.shortUrl)
    const redirect = await request({ url: shop })
    expect([redirect.statusCode, redirect.headers.location]).toEqual([302, 'https://a.example/'])
    await request({ url: shop })
    await request({ url: blog })
    await request({ url: `/${ownLink.alias}` })
    await app.importClicks()

    const countClicks = async () => {
      const { links } = await bios.get({ ...app.services, accountId: owner.account.id }, id)
      return links.map(({ title, clicks }) => [title, clicks])
    }
    expect(await countClicks()).toEqual([
      ['Shop', 2],
      ['Blog', 1],
      ['Short', 1],
    ])
    const editor = await person.open(`/console/bios/${id}/edit`)
    expect(editor.body).toMatch(/2 clicks<.*1 click<.*1 click</s)
    expect((await person.open('/console/bios')).body).toContain('data-label="Clicks"><bdi>4</bdi>')
    const details = await request({ url: `/api/bio/${id}`, headers: owner.headers })
    expect(details.json().details.links[0]).toEqual({
      title: 'Shop',
      url: 'https://a.example/',
      clicks: 2,
    })
    // The account’s list of links omits links of buttons, but admins can find them.
    const stored = await getAnyLink(app.services, app.services.db, shop.slice(1))
    expect(stored).toMatchObject({ resource: 'bio', url: 'https://a.example/' })
    const list = await request({ url: '/api/urls', headers: owner.headers })
    expect(list.json().data.result).toBe(1)

    // A new order, URL or title keeps the clicks, and the short link still works.
    await bios.update({ ...app.services, accountId: owner.account.id }, id, {
      links: [
        { title: 'Weblog', url: 'https://b.example/' },
        { title: 'Shop', url: 'https://new.example/' },
      ],
    })
    expect(await countClicks()).toEqual([
      ['Weblog', 1],
      ['Shop', 2],
    ])
    expect((await request({ url: shop })).headers.location).toBe('https://new.example/')
    await bios.update({ ...app.services, accountId: owner.account.id }, id, { links: [] })
    expect((await request({ url: shop })).statusCode).toBe(404)
    expect((await request({ url: `/${ownLink.alias}` })).statusCode).toBe(302)
  })

  test('lose their short links when the page or the account is deleted', async ({
    app,
    make,
    owner,
    request,
    person,
  }) => {
    const links = [{ title: 'Shop', url: 'https://a.example/' }]
    const { id, alias } = await make.bio(owner, { links })
    const { body } = await request({ url: `/b/${alias}` })
    const [, href = ''] = /class="row" href="([^"]+)"/.exec(body) ?? []
    expect((await request({ url: href })).statusCode).toBe(302)
    await person.send(`/console/bios/${id}/delete`)
    expect((await request({ url: href })).statusCode).toBe(404)
    const remaining = await app.services.database.db
      .selectFrom('links')
      .select('id')
      .where('account_id', '=', owner.account.id)
      .execute()
    expect(remaining).toEqual([])
  })

  test('are hidden while their link does not work, with the reason in the editor', async ({
    app,
    make,
    owner,
    person,
    request,
  }) => {
    const { services } = app
    const { id: accountId } = owner.account
    const hiddenLinks = ['deleted', 'disabled', 'expired', 'used up', 'early', 'blocked'] as const
    const fieldsByName: Record<string, object> = {
      early: { startsAt: '9999-01-01' },
      'used up': { maxClicks: 1 },
      'redirects later': { expiredUrl: 'https://over.example/' },
    }
    const linksByName = Object.fromEntries(
      await Promise.all(
        [...hiddenLinks, 'redirects later', 'works'].map(async (name) => {
          const url = `https://${name.replaceAll(' ', '-')}.example/`
          return [name, await make.link(owner, { url, ...fieldsByName[name] })] as const
        }),
      ),
    )
    const buttons = Object.entries(linksByName).map(([title, { shortUrl: url }]) => ({
      title,
      url,
    }))
    const { id, alias } = await make.bio(owner, { links: buttons })
    await deleteLink(scopeOf(services, accountId), linksByName.deleted?.id ?? 0)
    await setLinkStatus(scopeOf(services, accountId), linksByName.disabled?.id ?? 0, 'disabled')
    await services.db
      .updateTable('links')
      .set({ expires_at: new Date(services.clock().getTime() - 1000) })
      .where('url', 'in', ['https://expired.example/', 'https://redirects-later.example/'])
      .execute()
    await request({ url: `/${linksByName['used up']?.alias}` })
    await request({ url: `/${linksByName['used up']?.alias}` })
    await blockHost(services, services.db, { host: 'blocked.example', by: 'test' })

    const page = await request({ url: `/b/${alias}` })
    const shownTitles = [...page.body.matchAll(/<strong dir="auto">([^<]+)/g)].map(
      ([, title]) => title,
    )
    expect(shownTitles).toEqual(['redirects later', 'works'])
    const readNotes = async (language: 'en' | 'de') => {
      await services.db
        .updateTable('users')
        .set({ language })
        .where('email', '=', owner.account.email)
        .execute()
      const { body } = await person.open(`/console/bios/${id}/edit`)
      return [...body.matchAll(/class="row-note[^>]*>([^<]+)/g)].map(([, note]) => note)
    }
    expect(await readNotes('en')).toEqual([
      'Hidden: the link was deleted · 0 clicks',
      'Hidden: the link is disabled · 0 clicks',
      'Hidden: the link has expired · 0 clicks',
      'Hidden: the link reached its click limit · 0 clicks',
      'Hidden: the link is not active yet · 0 clicks',
      'Hidden: the destination’s host is blocked here · 0 clicks',
      '0 clicks',
      '0 clicks',
    ])
    expect((await readNotes('de'))[0]).toBe('Ausgeblendet: Der Link wurde gelöscht · 0 Klicks')
  })

  test('have no short link of their own if their URL is on this service', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const url = `${app.services.config.baseUrl}/docs?x=1`
    const { id, alias } = await make.bio(owner, { links: [{ title: 'Docs', url }] })
    expect((await request({ url: `/b/${alias}` })).body).toContain(`class="row" href="${url}"`)
    const { links } = await bios.get({ ...app.services, accountId: owner.account.id }, id)
    expect(links).toEqual([{ title: 'Docs', url }])
  })
})
