import { describe, expect } from 'vitest'
import { updateLink } from '../../src/links/link.service.ts'
import { getGuesses } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { postForm } from '../support/forms.ts'
import { listChildren, signal } from '../support/processes.ts'
import { quickHasher } from '../support/quick-hasher.ts'
import { appTest } from '../support/test.ts'

const logged: string[] = []

const test = appTest({
  env: { LOG_LEVEL: 'warn' },
  logTo: { write: (line) => void logged.push(line) },
  // The number of guesses in the queue depends on the cost of hashing.
  usesRealHasher: true,
}).extend('guesses', { scope: 'file' }, ({ app, make, owner }) => {
  const guess = (alias: string, password: string, address: string) =>
    postForm(app, `/${alias}`, { password }, { address })
  const query = (sql: string, values: unknown[] = []) =>
    app.services.database.pool.query(sql, values).then(({ rows }) => rows)
  /** Creates links with the same password, hashed once. `isCheap` makes verification fast. */
  async function createProtectedLinks(count: number, { isCheap = false } = {}): Promise<string[]> {
    const firstLink = await make.link(owner, { password: 'open sesame' })
    if (isCheap) {
      const hash = await quickHasher.hash('open sesame')
      await query('update links set password_hash = $1 where id = $2', [hash, firstLink.id])
    }
    const otherLinks = await Promise.all(Array.from({ length: count - 1 }, () => make.link(owner)))
    await query(
      `update links set password_hash = (select password_hash from links where id = $1)
     where id = any($2)`,
      [firstLink.id, otherLinks.map(({ id }) => id)],
    )
    return [firstLink, ...otherLinks].map(({ alias }) => alias)
  }
  const endWait = (alias: string) =>
    query(
      `update link_guesses set waits_until = now()
       where link_id = (select id from links where alias = $1)`,
      [alias],
    )
  return { guess, query, createProtectedLinks, endWait }
})

describe('a flood of guesses from one network', () => {
  test.for([1, 40])(
    'at %i links does not stop visitors from elsewhere who have the right password',
    async (count, { guesses: { guess, createProtectedLinks } }) => {
      const [ownAlias = '', ...floodedAliases] = await createProtectedLinks(count + 1)
      const flood = Array.from({ length: 200 }, (_, n) =>
        guess(
          floodedAliases[n % floodedAliases.length] ?? '',
          `wrong ${n}`,
          `2001:db8:1:${count}::${n % 7}`,
        ),
      )
      const right = Array.from({ length: 24 }, (_, n) =>
        guess(ownAlias, 'open sesame', `198.51.${count}.${n}`),
      )
      expect((await Promise.all(right)).map(({ statusCode }) => statusCode)).toEqual(
        Array(24).fill(303),
      )
      const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode)
      expect(new Set(statuses)).not.toContain(303)
      // At most one guess per slot and queue position is accepted.
      expect(statuses.filter((status) => status !== 503).length).toBeLessThanOrEqual(100)
    },
  )

  test('is limited to a hundred guesses per minute at all links together', async ({
    guesses: { guess, query, createProtectedLinks },
  }) => {
    const [alias = '', otherAlias = ''] = await createProtectedLinks(2)
    const address = '198.51.100.200'
    await guess(alias, 'wrong', address)
    const newestWindow = `subject like 'guesses:%' and hits = 1 and started_at = (
      select max(started_at) from rate_windows where subject like 'guesses:%')`
    await query(`update rate_windows set hits = 98 where ${newestWindow}`)
    const statuses = []
    // The first two reach the limit.
    for (const guessedAlias of [otherAlias, alias, otherAlias, otherAlias]) {
      statuses.push((await guess(guessedAlias, 'wrong', address)).statusCode)
    }
    expect(statuses).toEqual([401, 401, 429, 429])
    expect((await guess(alias, 'open sesame', '198.51.100.201')).statusCode).toBe(303)
  })

  test('is rejected over the limit without a slot for hashing or a database statement', async ({
    guesses: { guess, query, createProtectedLinks },
  }) => {
    const [alias = ''] = await createProtectedLinks(1, { isCheap: true })
    for (let n = 0; n < 11; n += 1) await guess(alias, 'wrong', '198.51.100.202')
    const countHits = () =>
      query(`select sum(hits)::int as hits from rate_windows where subject like 'guess%'`)
    const before = await countHits()
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => guess(alias, 'open sesame', '198.51.100.202')),
    )
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([429]))
    for (const { headers } of replies) {
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
    }
    expect(await countHits()).toEqual(before)
  })
})

describe('guesses at one link from many IP addresses', () => {
  let count = 0
  function newAddress(): string {
    count += 1
    return `2001:db8:2:${count.toString(16)}::1`
  }

  test('wait longer and longer after thirty wrong guesses, and are logged', async ({
    guesses: { guess, createProtectedLinks, endWait },
  }) => {
    const [alias = ''] = await createProtectedLinks(1, { isCheap: true })
    for (let n = 0; n < 30; n += 1) {
      expect((await guess(alias, 'wrong', newAddress())).statusCode).toBe(401)
    }
    const waits = []
    for (let n = 0; n < 14; n += 1) {
      expect((await guess(alias, 'wrong', newAddress())).statusCode).toBe(401)
      const rejected = await guess(alias, 'open sesame', newAddress())
      // The first wait, of one second, may have ended by then.
      if (rejected.statusCode === 303) continue
      expect(rejected.statusCode).toBe(429)
      expect(rejected.body).toContain('Too many failed attempts for this link.')
      waits.push(Number(rejected.headers['retry-after']))
      await endWait(alias)
    }
    expect(logged.filter((line) => line.includes('many were wrong'))).toHaveLength(1)
    expect(waits.at(-1)).toBeGreaterThan(890)
    expect(waits.at(-1)).toBeLessThanOrEqual(900)
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(waits.filter((wait) => wait > 100 && wait < 890).length).toBeGreaterThanOrEqual(3)
  })

  test('are counted when concurrent', async ({ guesses: { guess, createProtectedLinks } }) => {
    const [alias = ''] = await createProtectedLinks(1)
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => guess(alias, 'wrong', newAddress())),
    )
    const checked = replies.filter(({ statusCode }) => statusCode === 401)
    expect(checked.length).toBeGreaterThanOrEqual(30)
    expect(checked.length).toBeLessThanOrEqual(40)
  })

  test('do not lock out known visitors until the password changes', async ({
    app,
    make,
    owner,
    guesses: { guess, query },
  }) => {
    const { id, alias } = await make.link(owner, { password: 'open sesame' })
    const address = '2001:db8:3:1::1'
    expect((await guess(alias, 'open sesame', address)).statusCode).toBe(303)
    await query(
      `update link_guesses set wrong = 40, waits_until = now() + interval '10 minutes'
       where link_id = $1`,
      [id],
    )
    expect((await guess(alias, 'open sesame', newAddress())).statusCode).toBe(429)
    expect((await guess(alias, 'wrong', '2001:db8:3:1::2')).statusCode).toBe(401)
    expect((await guess(alias, 'open sesame', newAddress())).statusCode).toBe(429)
    expect((await guess(alias, 'open sesame', address)).statusCode).toBe(303)
    const storedVisitors = await query('select * from link_known_visitors where link_id = $1', [id])
    expect(storedVisitors).toHaveLength(1)
    expect(JSON.stringify(storedVisitors)).not.toContain('2001')
    await updateLink(scopeOf(app.services, owner.account.id), id, {
      url: 'https://example.com/',
      password: 'another',
    })
    await query(`update link_guesses set waits_until = now() + interval '10 minutes'`)
    expect((await guess(alias, 'another', address)).statusCode).toBe(429)
  })

  test('expire over time, and right passwords do not count', async ({
    app,
    make,
    owner,
    guesses: { guess, query },
  }) => {
    const { id, alias } = await make.link(owner, { password: 'open sesame' })
    await guess(alias, 'wrong', newAddress())
    await guess(alias, 'open sesame', newAddress())
    const readGuesses = () => getGuesses(scopeOf(app.services, owner.account.id), id)
    expect(await readGuesses()).toEqual({ wrong: 1, waitsUntil: null, knownVisitors: 1 })
    await query(
      `update link_guesses set wrong = 35, last_at = now() - interval '3 hours',
       waits_until = now() - interval '2 hours' where link_id = $1`,
      [id],
    )
    expect(await readGuesses()).toEqual({ wrong: 5, waitsUntil: null, knownVisitors: 1 })
    expect((await guess(alias, 'wrong', newAddress())).statusCode).toBe(401)
    expect(await readGuesses()).toEqual({ wrong: 6, waitsUntil: null, knownVisitors: 1 })
  })

  test('wait a limited time even if the database’s clock is set back', async ({
    make,
    owner,
    guesses: { guess, query },
  }) => {
    const { id, alias } = await make.link(owner, { password: 'open sesame' })
    await guess(alias, 'wrong', newAddress())
    await query(
      `update link_guesses set wrong = 40, last_at = now() + interval '3 hours',
       waits_until = now() + interval '3 hours' where link_id = $1`,
      [id],
    )
    expect((await guess(alias, 'wrong', newAddress())).statusCode).toBe(401)
  })

  test('are visible only to the owner', async ({ app, make, owner }) => {
    const { id } = await make.link(owner, { password: 'open sesame' })
    const otherOwner = await make.owner()
    expect(await getGuesses(scopeOf(app.services, owner.account.id), id)).toEqual({
      wrong: 0,
      waitsUntil: null,
      knownVisitors: 0,
    })
    await expect(
      getGuesses(scopeOf(app.services, otherOwner.account.id), id),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('with the right password keep only the last thousand known visitors', async ({
    make,
    owner,
    guesses: { guess, query },
  }) => {
    const { id, alias } = await make.link(owner, { password: 'open sesame' })
    await query(
      `insert into link_known_visitors (link_id, visitor, seen_at)
       select $1, 'v' || n, now() - n * interval '1 second' from generate_series(1, 1005) n`,
      [id],
    )
    await guess(alias, 'open sesame', newAddress())
    await guess(alias, 'open sesame', newAddress())
    const knownVisitors = await query(
      'select visitor from link_known_visitors where link_id = $1',
      [id],
    )
    expect(knownVisitors.length).toBeLessThanOrEqual(1001)
    expect(knownVisitors.map(({ visitor }) => visitor)).toContain('v1')
    expect(knownVisitors.map(({ visitor }) => visitor)).not.toContain('v1005')
  })
})

test('passwords are still checked after the hashing process is killed', async ({
  make,
  owner,
  guesses: { guess },
}) => {
  const { alias } = await make.link(owner, { password: 'open sesame' })
  const children = await listChildren(process.pid)
  const hashers = children.filter(({ command }) => command.includes('password-hasher'))
  expect(hashers).toHaveLength(1)
  for (const { pid } of hashers) signal(pid, 'SIGKILL')
  expect((await guess(alias, 'open sesame', '198.51.100.202')).statusCode).toBe(303)
  expect((await guess(alias, 'wrong', '198.51.100.203')).statusCode).toBe(401)
})
