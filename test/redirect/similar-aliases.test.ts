import { describe, expect } from 'vitest'
import { foldCase } from '../../src/text.ts'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/target'

const createTest = (env: Record<string, string> = {}) =>
  appTest({ env }).extend('visit', { scope: 'file' }, ({ request }) => {
    /** Returns the location of a redirect, or else the status. */
    return async (path: string, options: object = {}) => {
      const reply = await request({ url: path, headers: { host: 'brev.test' }, ...options })
      return reply.headers.location ?? reply.statusCode
    }
  })

const test = createTest()
const exactTest = createTest({ ALIAS_MATCH: 'exact' })

const appended = [
  '/',
  '%2f',
  '%EF%BB%BF',
  '.',
  ',',
  ')',
  ']',
  '%3E',
  "'",
  '%22',
  '%20',
  '%C2%A0',
  '%E2%80%8B',
  '%0A',
  ...['。', '，', '）', '」', '”', '“', '’', '»', '…'].map(encodeURIComponent),
]

describe('an unknown alias', () => {
  test('finds the link without appended characters and counts', async ({
    app,
    make,
    owner,
    visit,
  }) => {
    const { id } = await make.link(owner, { url, alias: 'abc' })
    const paths = [...appended, ').%20', '/,'].map((end) => `/abc${end}`)
    for (const path of paths) expect([path, await visit(path)]).toEqual([path, url])
    expect(await app.clicksOf(owner, id)).toBe(paths.length)
    for (const path of ['/abc!', '/abc%20x', '/%20abc', '/abcd.', '/abc,/x']) {
      expect([path, await visit(path)]).toEqual([path, 404])
    }
    await make.link(owner, { url, alias: 'dir/page.html' })
    for (const end of appended) expect(await visit(`/dir/page.html${end}`)).toBe(url)
  })

  test('finds the only link of the host in another case', async ({
    make,
    owner,
    request,
    visit,
  }) => {
    const domain = await make.domain(owner)
    await make.link(owner, { url, alias: 'Spring-Sale/Größe' })
    await make.link(owner, { url: `${url}/cyrillic`, alias: 'Жук' })
    await make.link(owner, {
      url: `${url}/domain`,
      alias: 'SPRING-SALE/größe',
      domain: domain.host,
    })
    for (const alias of [
      'spring-sale/größe',
      'SPRING-SALE/GRÖSSE'.replace('SS', 'ß'),
      'Spring-sale/GRÖßE).',
    ]) {
      const path = encodeURI(`/${alias}`)
      expect([path, await visit(path)]).toEqual([path, url])
      expect(await visit(path, { headers: { host: domain.host } })).toBe(`${url}/domain`)
    }
    for (const alias of ['жук', 'ЖУК'])
      expect(await visit(`/${encodeURI(alias)}`)).toBe(`${url}/cyrillic`)
    expect((await request({ url: '/SPRING-SALE/Gr%C3%B6%C3%9Fe+' })).statusCode).toBe(200)

    await make.link(owner, { url: `${url}/exact`, alias: 'spring-SALE/Größe' })
    expect(await visit('/spring-SALE/Gr%C3%B6%C3%9Fe')).toBe(`${url}/exact`)
    expect(await visit('/spring-sale/gr%C3%B6%C3%9Fe')).toBe(404)
  })

  test.for([
    ['кЛюЧ', ['ключ', 'КЛЮЧ', 'Ключ', 'КлЮч']],
    ['МоСкВа-2026', ['москва-2026', 'МОСКВА-2026', 'мОсКвА-2026']],
    ['ÉtéÀParis', ['étéàparis', 'ÉTÉÀPARIS', 'e\u0301te\u0301a\u0300paris']],
    ['Σίσυφος', ['ΣΊΣΥΦΟΣ', 'σίσυφοσ', 'σίσυφος']],
    ['İzmir', ['i\u0307zmir', 'İZMIR']],
    ['ՀայԱստան', ['հայաստան', 'ՀԱՅԱՍՏԱՆ']],
    ['𐐎𐐯𐐢', ['𐐶𐐇𐑊']],
  ] as const)('finds %s in any case', async ([alias, spellings], { make, owner, visit }) => {
    await make.link(owner, { url: `${url}/${alias}`, alias })
    const location = encodeURI(`${url}/${alias}`)
    for (const spelling of spellings) {
      expect([spelling, await visit(`/${encodeURIComponent(spelling)}`)]).toEqual([
        spelling,
        location,
      ])
    }
  })

  test('is folded in the database as in the program, for every letter', async ({ app }) => {
    const letters: string[] = []
    for (let code = 1; code <= 0x10ffff; code += 1) {
      const letter = String.fromCodePoint(code)
      if (/[\p{L}\p{M}\p{N}]/u.test(letter)) letters.push(letter.normalize('NFC'))
    }
    const { rows } = await app.services.database.pool.query<{ letter: string; folded: string }>(
      'select letter, fold_case(letter) as folded from unnest($1::text[]) letter',
      [letters],
    )
    expect(rows.length).toBeGreaterThan(100_000)
    expect(rows.filter(({ letter, folded }) => folded !== foldCase(letter))).toEqual([])
  })

  test('does not forward a path that would be rejected after the exact alias', async ({
    make,
    owner,
    visit,
  }) => {
    await make.link(owner, { url, alias: 'Guide', forwardPath: true })
    for (const path of ['/guide', '/guide/', '/guide.', '/Guide%2F']) {
      expect([path, await visit(path)]).toEqual([path, url])
    }
    expect(await visit('/Guide/a).')).toBe(`${url}/a).`)
    for (const end of ['//', '//)/', '/%20../', '/..%20/', '/.%20/', '/%252e%252e/']) {
      for (const alias of ['Guide', 'guide']) {
        expect([alias + end, await visit(`/${alias}${end}`)]).toEqual([alias + end, 404])
      }
    }
  })

  test('does not lead to another link if a deleted link has the alias', async ({
    app,
    make,
    owner,
    request,
    visit,
  }) => {
    const other = await make.owner()
    const domain = await make.domain(owner)
    const remove = async (id: number, status = 200) => {
      const options = { method: 'DELETE', url: `/api/url/${id}/delete`, headers: owner.headers }
      expect((await request({ ...options })).statusCode).toBe(status)
    }
    const poster = await make.link(owner, { url, alias: 'Poster' })
    const branded = await make.link(owner, { url, alias: 'Poster', domain: domain.host })
    await remove(poster.id)
    await make.link(other, { url: `${url}/other`, alias: 'poster' })
    for (const path of ['/Poster', '/Poster.', '/Poster/']) {
      expect([path, await visit(path)]).toEqual([path, 404])
    }
    expect(await visit('/POSTER')).toBe(`${url}/other`)
    expect(await visit('/POSTER', { headers: { host: domain.host } })).toBe(url)
    await remove(branded.id)
    await make.link(owner, { url: `${url}/own`, alias: 'poster', domain: domain.host })
    expect(await visit('/Poster', { headers: { host: domain.host } })).toBe(404)

    await app.services.database.pool.query(
      `insert into held_aliases (alias, host, link_id) values ('Held', '', $1), ('Held', $2, $1)`,
      [poster.id, domain.host],
    )
    await make.link(other, { url, alias: 'HELD' })
    await make.link(owner, { url, alias: 'HELD', domain: domain.host })
    for (const host of ['brev.test', domain.host]) {
      expect(await visit('/Held', { headers: { host } })).toBe(404)
      expect(await visit('/held', { headers: { host } })).toBe(url)
    }
  })

  test('follows the settings of the link it finds', async ({ make, owner, visit }) => {
    await make.link(owner, { url, alias: 'Locked', password: 'open sesame' })
    const guess = (password: string) => ({
      method: 'POST',
      headers: { host: 'brev.test', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ password }).toString(),
    })
    expect(await visit('/locked.')).toBe(200)
    expect(await visit('/locked.', guess('wrong'))).toBe(401)
    expect(await visit('/locked.', guess('open sesame'))).toBe(url)
  })
})

describe('with ALIAS_MATCH=exact', () => {
  exactTest('nothing but the exact alias is found', async ({ make, owner, visit }) => {
    await make.link(owner, { url, alias: 'Abc' })
    expect(await visit('/Abc')).toBe(url)
    for (const path of ['/abc', '/Abc.', '/Abc/', '/Abc%20']) expect(await visit(path)).toBe(404)
  })
})
