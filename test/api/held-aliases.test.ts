import { describe, expect, vi } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { deleteDomain } from '../../src/links/domain-deletion.ts'
import { deleteLink, getLink } from '../../src/links/link.service.ts'
import { findByShortLink } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { signIn } from '../support/console.ts'
import {
  ALIAS_HELD,
  expectConflict,
  GOOD_URL,
  heldLinksTest as test,
} from '../support/held-links-test.ts'
import { base64, legacyApiClient } from '../support/legacy-api.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'
import { yourlsClient } from '../support/yourls.ts'

describe('the alias of a deleted link that was disabled by an admin', () => {
  test('is rejected for all accounts on every surface', async ({
    app,
    owner,
    make,
    actions: { send },
    deletedLink: { alias },
  }) => {
    const otherOwner = await make.owner()
    const body = { url: GOOD_URL, custom: alias }
    for (const caller of [owner, otherOwner]) {
      expectConflict(await send('POST', '/api/url/add', body, caller), ALIAS_HELD)
      const batch = await send('POST', '/api/urls/add', { urls: [{ url: GOOD_URL }, body] }, caller)
      expect(batch.json().results).toMatchObject([{ error: 0 }, { error: 1, message: ALIAS_HELD }])
      const { id } = await make.link(caller, { url: GOOD_URL })
      const update = await send('PUT', `/api/url/${id}/update`, body, caller)
      expectConflict(update, ALIAS_HELD)
      expect((await getLink(scopeOf(app.services, caller.account.id), id)).alias).not.toBe(alias)
      const path = `create/custom_url/${alias}/url/${base64(GOOD_URL)}.json`
      const legacy = await legacyApiClient({ app, owner }).call(path, caller)
      expect(legacy.json()).toMatchObject({ code: 409, data: { message: ALIAS_HELD } })
      const yourls = await yourlsClient({ app, owner })(
        { action: 'shorturl', url: GOOD_URL, keyword: alias },
        caller,
      )
      expect(yourls.json()).toMatchObject({ status: 'fail', code: 'error:keyword' })
      const person = await signIn(app, caller.account.email)
      const form = await person.send('/console/links', { url: GOOD_URL, alias })
      expect([form.statusCode, form.body]).toEqual([
        422,
        expect.stringMatching(/id="alias-error"[^>]*>That alias is reserved/),
      ])
      const editor = await person.send('/console/links/new', {
        url: GOOD_URL,
        alias,
        type: 'direct',
      })
      expect([editor.statusCode, editor.body]).toEqual([
        422,
        expect.stringMatching(/id="alias-error"[^>]*>That alias is reserved/),
      ])
      const availability = await person.send('/console/links/free', { alias })
      expect(availability.json()).toEqual({ state: 'held', text: 'This alias is reserved.' })
    }
    expect((await app.request({ url: `/${alias}` })).statusCode).toBe(404)
  })

  test('counts as taken in imports and their dry runs', async ({
    app,
    make,
    deletedLink: { alias },
  }) => {
    const otherOwner = await make.owner()
    const { import: importFile, runFailingImport } = createTransferCommands(app, otherOwner)
    const file = await createFile(jsonl({ alias, url: GOOD_URL }), 'links.jsonl')
    const skip = ['--on-taken', 'skip']
    expect(await importFile(file, 'jsonl', ...skip, '--dry-run')).toMatchObject({
      created: 0,
      taken: 1,
    })
    expect(await importFile(file, 'jsonl', ...skip)).toMatchObject({ created: 0, taken: 1 })
    expect(await runFailingImport(file, 'jsonl', '--on-taken', 'fail')).toContain('is taken')
    const renamed = await importFile(file, 'jsonl', '--on-taken', 'rename')
    expect(renamed).toMatchObject({ created: 1, renamed: 1 })
    const link = await findByShortLink(scopeOf(app.services, otherOwner.account.id), `${alias}-2`)
    expect(link?.url).toBe(GOOD_URL)
  })

  test('stays reserved on a domain that another account adds later', async ({
    app,
    make,
    actions: { send, disable },
    badUrl,
  }) => {
    const first = await make.owner()
    const second = await make.owner()
    const domain = `https://moved-${first.account.id}.example`
    const { id } = await make.domain(first, { domain })
    const link = await make.link(first, { url: badUrl, alias: 'bait', domain })
    await disable(link.shortUrl)
    await deleteLink(scopeOf(app.services, first.account.id), link.id)
    await deleteDomain(scopeOf(app.services, first.account.id), id)
    await make.domain(second, { domain })
    const body = { url: GOOD_URL, custom: 'bait', domain }
    expectConflict(await send('POST', '/api/url/add', body, second), ALIAS_HELD)
    const onOwnHost = await send('POST', '/api/url/add', { url: GOOD_URL, custom: 'bait' }, second)
    expect(onOwnHost.statusCode).toBe(200)
  })

  test('is rejected for a request that arrives before the deletion is committed', async ({
    app,
    owner,
    make,
    actions: { send, disable },
    badUrl,
  }) => {
    const otherOwner = await make.owner()
    const { id, alias, shortUrl } = await make.link(owner, { url: badUrl, alias: 'in-a-race' })
    await disable(shortUrl)
    const { database } = app.services
    const deletion = inTransaction(database.db, async (tx) => {
      await deleteLink(scopeOf({ ...app.services, db: tx }, owner.account.id), id)
      const creation = send('POST', '/api/url/add', { url: GOOD_URL, custom: alias }, otherOwner)
      await vi.waitUntil(() => isWaitingForLock(database.pool), { timeout: 60_000 })
      return { creation }
    })
    expectConflict(await (await deletion).creation, ALIAS_HELD)
  })
})
