import { describe, expect } from 'vitest'
import { changeLinkStatus } from '../../src/operator/moderation.service.ts'
import { base64, callLegacyApi } from '../support/legacy-api.ts'
import { linkListTest } from '../support/link-list.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'
import { listVersions } from '../support/versions.ts'
import { asQuery } from '../support/yourls.ts'

const test = linkListTest()
const url = 'https://example.com/first'

describe('the history of a link', () => {
  test('shows who made each change, and through which page, API or command', async ({
    app,
    owner,
    person,
    request,
  }) => {
    const { headers, key } = owner
    const user = { type: 'user', name: owner.account.email }
    const keyAuthor = { type: 'key', name: expect.stringMatching(/./) }
    const getId = async (alias: string): Promise<number> => {
      const reply = await request({ url: `/api/urls?short=${alias}`, headers })
      return reply.json().data.urls[0].id
    }
    const readVersions = async (alias: string) =>
      (await listVersions(app, owner, await getId(alias))).map((version) => [
        version.surface,
        version.by,
        Object.keys(version.changes).join(),
      ])
    const creation = expect.stringMatching(/^url,.*custom/)

    await person.send('/console/links/new', { url, alias: 'by-console', once: 'a' })
    await person.send('/console/links', { url, alias: 'by-overview' })
    await request({
      method: 'POST',
      url: '/api/url/add',
      headers,
      payload: { url, custom: 'by-api' },
    })
    await request({
      method: 'POST',
      url: '/api/urls/add',
      headers,
      payload: { urls: [{ url, custom: 'by-batch' }] },
    })
    await callLegacyApi(app, key, `create/custom_url/by-legacy/url/${base64(url)}.json`)
    await request(asQuery({ signature: key, action: 'shorturl', url, keyword: 'by-yourls' }))
    const file = await createFile(jsonl({ alias: 'by-import', url }), 'links.jsonl')
    await createTransferCommands(app, owner).import(file, 'jsonl')
    expect(await readVersions('by-console')).toEqual([
      ['console', expect.objectContaining(user), creation],
    ])
    expect(await readVersions('by-api')).toEqual([
      ['api', expect.objectContaining(keyAuthor), creation],
    ])
    expect(await readVersions('by-overview')).toEqual([
      ['console', expect.objectContaining(user), creation],
    ])
    expect(await readVersions('by-legacy')).toEqual([
      ['legacy-api', expect.objectContaining(keyAuthor), creation],
    ])
    expect(await readVersions('by-batch')).toEqual([
      ['api', expect.objectContaining(keyAuthor), creation],
    ])
    expect(await readVersions('by-yourls')).toEqual([
      ['yourls-api', expect.objectContaining(keyAuthor), creation],
    ])
    const [[surface, author]] = (await readVersions('by-import')) as [[string, object]]
    expect([surface, author]).toEqual([
      'import',
      { type: 'import', id: expect.any(Number), name: expect.stringMatching(/links\.jsonl$/) },
    ])

    const id = await getId('by-api')
    const shortUrl = `${app.baseUrl}/by-api`
    await person.send(`/console/links/${id}/edit`, { url: `${url}?2`, alias: 'by-api' })
    await person.change('tag', [id], { tag: 'x' })
    await person.change('untag', [id], { tag: 'x' })
    await person.change('disable', [id])
    await person.send(`/console/links/${id}/enable`)
    await request({ method: 'PUT', url: `/api/url/${id}/update`, headers, payload: { url } })
    await callLegacyApi(app, key, `disable/short_url/${base64(shortUrl)}.json`)
    await callLegacyApi(app, key, `enable/short_url/${base64(shortUrl)}.json`)
    const { services } = app
    await changeLinkStatus(services, services.db, 'an admin', shortUrl, { status: 'disabled' })
    await changeLinkStatus(services, services.db, 'an admin', shortUrl, { status: 'active' })
    await person.send(`/console/links/${id}/history/0/restore`)
    const fromConsole = ['console', expect.objectContaining(user)]
    const fromLegacyApi = ['legacy-api', expect.objectContaining(keyAuthor)]
    expect(await readVersions('by-api')).toEqual([
      ['admin', null, 'status,blocked'],
      ['admin', null, 'status,blocked'],
      [...fromLegacyApi, 'status'],
      [...fromLegacyApi, 'status'],
      ['api', expect.objectContaining(keyAuthor), 'url'],
      [...fromConsole, 'status'],
      [...fromConsole, 'status'],
      [...fromConsole, 'tags'],
      [...fromConsole, 'tags'],
      [...fromConsole, 'url'],
      ['api', expect.objectContaining(keyAuthor), creation],
    ])
  })

  test('describes differences and restores a version', async ({
    app,
    make,
    owner,
    person,
    request,
  }) => {
    const { id, alias } = await make.link(owner, { url, tags: ['old'] })
    const page = `/console/links/${id}/history`
    expect((await person.open(`/console/links/${id}`)).body).toContain(`href="${page}"`)
    const payload = { url: 'https://example.com/<b>', metatitle: 'Title', password: 'p4ssword' }
    await request({ method: 'PUT', url: `/api/url/${id}/update`, headers: owner.headers, payload })
    const html = (await person.open(page)).body
    const text = html.replace(/<[^>]+>/g, '')
    expect(text).toContain(`Destination URL changed from ${url} to https://example.com/%3Cb%3E`)
    expect(text).toContain('Title set to Title')
    expect(text).toContain('Password set')
    expect(text).toContain('Link created')
    expect(text).toContain(`Alias set to ${alias}`)
    expect(html).not.toContain('p4ssword')
    expect(html.match(/Restore this version/g)).toHaveLength(1)
    const reply = await person.send(`${page}/0/restore`)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, page])
    const [restored] = await listVersions(app, owner, id)
    expect(restored).toMatchObject({ surface: 'console', restores: 0 })
    expect((await person.open(page)).body).toContain('Restored the version of ')
  })

  test('shows the shares of a split', async ({ make, owner, person }) => {
    const split = [
      { to: 'https://example.com/a', weight: 1 },
      { to: 'https://example.com/b', weight: 3 },
    ]
    const { id } = await make.link(owner, { url, split })
    const text = (await person.open(`/console/links/${id}/history`)).body.replace(/<[^>]+>/g, '')
    expect(text).toContain('Split set to 25% example.com/a, 75% example.com/b')
  })

  test('describes each kind of change', async ({ app, make, owner, person, request }) => {
    const { id, shortUrl } = await make.link(owner, { url })
    const { services } = app
    await person.change('disable', [id])
    await person.change('enable', [id])
    await changeLinkStatus(services, services.db, 'an admin', shortUrl, { status: 'disabled' })
    await changeLinkStatus(services, services.db, 'an admin', shortUrl, { status: 'active' })
    const payload = { url, forwardPath: true }
    await request({ method: 'PUT', url: `/api/url/${id}/update`, headers: owner.headers, payload })
    const items = [
      ...(await person.open(`/console/links/${id}/history`)).body.matchAll(/<li>(.*?)<\/li>/g),
    ]
    expect(items.slice(0, 7).map(([, text]) => text)).toEqual([
      'Forward path turned on',
      'Link enabled',
      'Enabled by an admin',
      'Link disabled',
      'Disabled by an admin',
      'Link enabled',
      'Link disabled',
    ])
  })

  test('explains why a version cannot be restored', async ({ make, owner, person, request }) => {
    const { id } = await make.link(owner, { url, alias: 'reused' })
    const payload = { url, custom: 'moved' }
    await request({ method: 'PUT', url: `/api/url/${id}/update`, headers: owner.headers, payload })
    await make.link(owner, { alias: 'reused' })
    const reply = await person.send(`/console/links/${id}/history/0/restore`)
    expect(reply.statusCode).toBe(409)
    expect(reply.body).toMatch(/role="alert">[^<]*alias/i)
    expect((await person.send(`/console/links/${id}/history/77/restore`)).statusCode).toBe(404)
  })

  test('returns 404 for links of other accounts', async ({ make, person }) => {
    const { id } = await make.link(await make.owner())
    expect((await person.open(`/console/links/${id}/history`)).statusCode).toBe(404)
    expect((await person.send(`/console/links/${id}/history/0/restore`)).statusCode).toBe(404)
  })

  test.for(['0', '-3', 'x', '1e9', '2'])(
    'opens with the page number %s',
    async (page, { make, owner, person }) => {
      const { id } = await make.link(owner)
      const reply = await person.open(`/console/links/${id}/history?page=${page}`)
      expect(reply.statusCode).toBe(200)
    },
  )
})
