import { describe, expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { blockHost, changeLinkStatus } from '../../src/operator/moderation.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { createScopedKey } from '../support/scoped-keys.ts'
import { listVersions, versionTest } from '../support/versions.ts'

const test = versionTest()
const firstUrl = 'https://example.com/first'
const secondUrl = 'https://example.com/second'

describe('POST /api/url/:id/versions/:version/restore', () => {
  test('restores all values except the password and records a new version', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { id } = await make.link(owner, {
      url: firstUrl,
      alias: 'before',
      tags: ['a', 'b'],
      metaTitle: 'First',
      geoTargets: [{ location: 'DE', link: 'https://example.com/de' }],
    })
    const before = await history.getDetails(id)
    const changes = {
      custom: 'after',
      tags: ['c'],
      metatitle: '',
      geotarget: [],
      password: 'locked',
    }
    await history.update(id, { url: secondUrl, ...changes })
    await setLinkStatus(scopeOf(app.services, owner.account.id), id, 'disabled')
    const reply = await history.restore(id, 0)
    expect(reply.json()).toEqual({ error: 0, id, short: before.shorturl })
    expect(await history.getDetails(id)).toEqual({ ...before, password: true })
    const [restored, disabled, changed] = await history.list(id)
    expect(restored).toMatchObject({
      surface: 'api',
      restores: 0,
      changes: {
        url: { before: secondUrl, after: firstUrl },
        custom: { before: 'after', after: 'before' },
        status: { before: 'disabled', after: 'active' },
      },
    })
    expect(restored?.changes).not.toHaveProperty('password')
    expect((await history.restore(id, changed?.id ?? 0)).statusCode).toBe(200)
    expect(await history.getDetails(id)).toMatchObject({
      longurl: secondUrl,
      alias: 'after',
      tags: ['c'],
      status: 'active',
      password: true,
    })
    expect((await history.restore(id, disabled?.id ?? 0)).statusCode).toBe(200)
    expect(await history.getDetails(id)).toMatchObject({ status: 'disabled', longurl: secondUrl })
    const { length } = await history.list(id)
    expect((await history.restore(id, disabled?.id ?? 0)).statusCode).toBe(200)
    expect(await history.list(id)).toHaveLength(length)
  })

  test('rejects an alias used by another link', async ({ make, owner, history }) => {
    const { id } = await make.link(owner, { alias: 'wanted' })
    await history.update(id, { url: firstUrl, custom: 'moved' })
    await make.link(owner, { alias: 'wanted' })
    const reply = await history.restore(id, 0)
    expect(reply.statusCode).toBe(409)
    expect((await history.getDetails(id)).alias).toBe('moved')
  })

  test('rejects a destination on a host that has since been blocked', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { id } = await make.link(owner, { url: 'https://evil.example/' })
    await history.update(id, { url: firstUrl })
    const { services } = app
    await blockHost(services, services.db, 'an admin', {
      host: 'evil.example',
      subdomains: false,
      reason: 'phishing',
    })
    const reply = await history.restore(id, 0)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().message).toMatch(/^url /)
    expect((await history.getDetails(id)).longurl).toBe(firstUrl)
  })

  test('returns 403 for a version that would enable a link that an admin disabled', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { id, shortUrl } = await make.link(owner, { url: firstUrl })
    const { services } = app
    await changeLinkStatus(services, services.db, 'an admin', shortUrl, { status: 'disabled' })
    const [version] = await history.list(id)
    expect(version).toMatchObject({
      surface: 'admin',
      by: null,
      changes: {
        status: { before: 'active', after: 'disabled' },
        blocked: { before: false, after: true },
      },
    })
    expect((await history.restore(id, 0)).statusCode).toBe(403)
    expect((await history.getDetails(id)).status).toBe('disabled')
  })

  test('returns 403 if a key bound to a domain would move the link to another domain', async ({
    app,
    make,
    history,
  }) => {
    const owner = await make.owner()
    const { host } = await make.domain(owner)
    const { id } = await make.link(owner, { url: firstUrl })
    await history.update(id, { url: firstUrl, domain: host }, owner)
    const bound = await createScopedKey(app, owner, 'links', host)
    expect((await history.restore(id, 0, bound)).statusCode).toBe(403)
    await history.update(id, { url: secondUrl }, bound)
    const [, moved] = await listVersions(app, bound, id)
    expect((await history.restore(id, moved?.id ?? 0, bound)).statusCode).toBe(200)
    expect((await history.getDetails(id, owner)).longurl).toBe(firstUrl)
  })

  test.for(['x', '-1', '1.5', '99999999999999999999', '9007199254740991'])(
    'returns 404 for the unknown version %s',
    async (version, { app, make, owner }) => {
      const { id } = await make.link(owner)
      const url = `/api/url/${id}/versions/${version}/restore`
      const reply = await app.request({ method: 'POST', url, headers: owner.headers })
      expect(reply.statusCode).toBe(404)
    },
  )
})
