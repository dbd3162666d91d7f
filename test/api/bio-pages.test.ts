import { describe, expect } from 'vitest'
import { findBioByAlias } from '../../src/resources/bio-visits.ts'
import { bios } from '../../src/resources/bios.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

const rejection = (message: string) => expect.objectContaining({ code: 'invalid_input', message })

const notFound = expect.objectContaining({ code: 'not_found' })
const urlRule = 'must be a valid http or https URL'

describe('a bio page', () => {
  test('is found by its alias in either Unicode normalization form, but not in uppercase', async ({
    app,
    make,
    owner,
  }) => {
    const created = await make.bio(owner, {
      alias: 'caf\u00e9',
      title: ' Anna ',
      text: 'Hello',
      links: [{ url: 'https://example.com' }, { title: 'Shop', url: 'https://shop.example/a' }],
    })
    const page = {
      id: created.id,
      alias: 'café',
      title: 'Anna',
      text: 'Hello',
      links: [
        { title: 'example.com', url: 'https://example.com/' },
        { title: 'Shop', url: 'https://shop.example/a' },
      ],
      createdAt: expect.any(Date),
    }
    expect(await findBioByAlias(app.services, app.services.db, 'cafe\u0301')).toMatchObject(page)
    for (const alias of ['CAFÉ', 'unknown', '', 'a/b', '\0']) {
      expect(await findBioByAlias(app.services, app.services.db, alias)).toBe(null)
    }
  })

  test.for([
    [{ alias: '' }, 'alias must be 1 to 64 letters, digits, hyphens or underscores'],
    [{ alias: 'a b' }, 'alias must be 1 to 64 letters, digits, hyphens or underscores'],
    [{ alias: 'a\u034f' }, 'alias must not contain the invisible character U+034F'],
    [{ alias: 'API' }, 'alias is a reserved word'],
    [{ title: '' }, 'title must not be empty'],
    [{ title: 'x'.repeat(201) }, 'title must be at most 200 characters long'],
    [{ text: 'x'.repeat(5001) }, 'text must be at most 5000 characters long'],
    [{ links: [{ url: 'https://a.example' }, { url: 'x' }] }, `links[1].url ${urlRule}`],
    [
      { links: [{ title: 'x'.repeat(201), url: 'https://a.example' }] },
      'links[0].title must be at most 200 characters long',
    ],
    [{ links: Array(101).fill({ url: 'https://a.example' }) }, 'links must be at most 100'],
  ] as const)('is rejected with %j', async ([input, message], { make, owner }) => {
    await expect(make.bio(owner, input)).rejects.toEqual(rejection(message))
  })

  test('is created by only one of 20 concurrent requests for its alias', async ({
    make,
    owner,
  }) => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => make.bio(owner, { alias: 'contested' })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is listed and deleted only by its account', async ({ app, make, owner }) => {
    const caller = await make.owner()
    const first = await make.bio(caller)
    const second = await make.bio(caller)

    const page = { limit: 10, offset: 0 }
    expect(await bios.list({ ...app.services, accountId: caller.account.id }, page)).toMatchObject({
      total: 2,
      entries: [{ id: second.id }, { id: first.id }],
    })
    await expect(
      bios.remove({ ...app.services, accountId: owner.account.id }, first.id),
    ).rejects.toEqual(notFound)
    await bios.remove({ ...app.services, accountId: caller.account.id }, first.id)
    expect(await bios.list({ ...app.services, accountId: caller.account.id }, page)).toMatchObject({
      total: 1,
    })
    expect(await findBioByAlias(app.services, app.services.db, first.alias)).toBe(null)
    await expect(
      bios.remove({ ...app.services, accountId: caller.account.id }, first.id),
    ).rejects.toEqual(notFound)
  })
})
