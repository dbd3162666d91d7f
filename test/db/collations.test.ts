import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { changeAdmin } from '../../src/operator/user-actions.service.ts'
import { resourceClient } from '../support/api-client.ts'
import { signedIn, signIn, trySignIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

// In Turkish, the lowercase form of I is ı, and the uppercase form of i is İ.
const test = appTest({ locale: 'tr-TR' })

describe('in a database with a Turkish locale,', () => {
  test('the locale changes case as in Turkish', async ({ app }) => {
    const { rows } = await app.services.database.pool.query("select lower('I') as lower")
    expect(rows).toEqual([{ lower: 'ı' }])
  })

  test('an email address is taken in any case and signs in in any case', async ({ app, make }) => {
    await make.owner({ email: 'INFO@Example.COM', username: 'info-owner' })
    for (const email of ['info@example.com', 'Info@EXAMPLE.com']) {
      await expect(make.owner({ email, username: 'other-owner' })).rejects.toMatchObject({
        constraint: 'users_email_key',
      })
      await signIn(app, email, '198.51.100.1')
    }
    const lookalike = { email: 'ınfo@example.com', password: 'correct horse battery' }
    expect((await trySignIn(app, lookalike)).statusCode).toBe(422)
  })

  test('an email address with other letters than ASCII is taken in any case', async ({
    app,
    make,
  }) => {
    await make.owner({ email: 'JOSÉ.İNAN@Bücher.example', username: 'jose' })
    for (const email of ['josé.i̇nan@bücher.example', 'José.İnan@BÜCHER.example']) {
      await expect(make.owner({ email, username: 'other-owner' })).rejects.toMatchObject({
        constraint: 'users_email_key',
      })
      await signIn(app, email, '198.51.100.2')
    }
  })

  test('a username is taken in any case and found in a path', async ({ make, request }) => {
    const owner = await make.owner({ username: 'IRINA' })
    await expect(make.owner({ username: 'irina' })).rejects.toMatchObject({
      constraint: 'accounts_username_key',
    })
    const { id } = await make.campaign(owner, { name: 'Summer', public: true })
    for (const username of ['IRINA', 'irina', 'Irina']) {
      expect((await request({ url: `/u/${username}/${id}` })).statusCode).toBe(200)
    }
  })

  test('an invitation is replaced and accepted in any case', async ({ app, make, owner }) => {
    const browser = await signedIn(app, owner)
    for (const email of ['IVI@example.com', 'ivi@example.com']) {
      await browser.send('/console/members/invite', { email, role: 'viewer' })
    }
    const { rows } = await app.services.database.pool.query('select email from invitations')
    expect(rows).toEqual([{ email: 'ivi@example.com' }])
    const { account } = await make.owner({ email: 'Ivi@Example.com', username: 'ivi' })
    expect(account.email).toBe('Ivi@Example.com')
  })

  test('tags and searches ignore case', async ({ app, owner, request }) => {
    const { add, details } = resourceClient({ app, owner }, 'url')
    const url = 'https://example.com/INDIGO'
    const first = (await add({ url, custom: 'IGLOO', tags: ['ISTANBUL', 'İzmir'] })).json()
    const second = (await add({ url: 'https://example.com/', tags: ['istanbul'] })).json()
    expect((await details(second.id)).details.tags).toEqual(['ISTANBUL'])
    for (const q of ['igloo', 'IGLOO', 'indigo', 'İZMIR', 'i̇zmir']) {
      const found = await request({
        url: `/api/urls?q=${encodeURIComponent(q)}`,
        headers: owner.headers,
      })
      expect(found.json().data.urls).toMatchObject([{ id: first.id }])
    }
    const tagged = await request({ url: '/api/urls?tag=Istanbul', headers: owner.headers })
    expect(tagged.json().data.result).toBe(2)
  })

  test('an alias is found in any case, with the letters of other languages', async ({
    make,
    owner,
    request,
  }) => {
    await make.link(owner, { alias: 'ISPARTA-Iğdır', url: 'https://example.com/isparta' })
    for (const alias of ['isparta-iğdır', 'Isparta-IĞDır']) {
      const { headers } = await request({ url: `/${encodeURI(alias)}` })
      expect(headers.location).toBe('https://example.com/isparta')
    }
    expect((await request({ url: `/${encodeURI('ısparta-iğdır')}` })).statusCode).toBe(404)
  })

  test('a host is added once in any case', async ({ make, owner }) => {
    await make.domain(owner, { domain: 'https://ILK.example' })
    await expect(make.domain(owner, { domain: 'https://ilk.example' })).rejects.toMatchObject({
      constraint: 'domains_host_key',
    })
  })

  test('admins find accounts, users and log lines in any case', async ({ app, make, owner }) => {
    const { services } = app
    const email = 'LILI@example.com'
    await make.owner({ email, username: 'LILI' })
    const { rows } = await services.database.pool.query<{ id: number }>(
      'update users set admin = true where email in ($1, $2) returning id',
      [email, owner.account.email],
    )
    await changeAdmin(services, services.db, email, rows[0]?.id ?? 0, true)
    const admin = await signedIn(app, owner)
    const lists = [
      '/accounts?q=lili',
      '/users?q=lili',
      '/log?subject=LILI%40example.com',
      '/log?actor=lili%40Example.com',
    ]
    for (const list of lists) {
      expect((await admin.open(`/console/operator${list}`)).body, list).toContain(email)
    }
  })
})

describe('SQL that ignores case names its collation', () => {
  const changesCase =
    /\b(?:lower|upper|initcap)\((?!\$\{?|range|bound)[^`;]*?\)|\bilike\b|citext|~\*/gi

  test('in indexes, columns, constraints and functions of the schema', async ({ app }) => {
    const { rows } = await app.services.database.pool.query<{ definition: string }>(`
      select indexdef as definition from pg_indexes where schemaname = 'public'
      union all select pg_get_expr(adbin, adrelid) from pg_attrdef
      union all select pg_get_constraintdef(oid) from pg_constraint
      union all select prosrc from pg_proc where pronamespace = 'public'::regnamespace`)
    const found = rows.flatMap(({ definition }) => definition.match(/\b(lower|upper)\(.*/gi) ?? [])
    expect(found.length).toBeGreaterThan(4)
    for (const expression of found) expect(expression).toMatch(/collate "C"/i)
  })

  test('in statements of the program', async () => {
    const files = await readdir('src', { recursive: true })
    for (const file of files.filter((name) => name.endsWith('.queries.ts'))) {
      const text = await readFile(join('src', file), 'utf8')
      for (const [expression] of text.matchAll(changesCase)) {
        expect(`${file}: ${expression}`).toMatch(/collate "C"/i)
      }
    }
  })
})
