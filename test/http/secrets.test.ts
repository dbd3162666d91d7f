import { readdir, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { openJournal } from '../../src/clicks/append.ts'
import { base64, callLegacyApi } from '../support/legacy-api.ts'
import { createPasswordReset } from '../support/password-reset.ts'
import { appTest } from '../support/test.ts'
import { asForm, asJson, asMultipart, asQuery } from '../support/yourls.ts'

const linkPassword = 'the-password-of-a-link'
const wrongGuess = 'a-wrong-guess'
const newPassword = 'a-changed-account-password'
const userPassword = 'the-password-of-a-new-user'
const resetPasswordTo = 'the-password-of-a-reset-link'
const visitors = ['198.51.100.77', '2001:db8:77::7']
/** The IP address of a visitor behind a trusted proxy. */
const proxiedVisitor = '198.51.100.78'

const lines: string[] = []
const rejections: string[] = []

const logTo = { write: (line: string) => void lines.push(line) }

const test = appTest({ env: { LOG_LEVEL: 'debug', TRUST_PROXY: '10.0.0.0/8' }, logTo }).extend(
  'traffic',
  { scope: 'file' },
  async ({ app, owner, request }) => {
    const secrets = [
      owner.key,
      owner.key.slice(8, 30),
      linkPassword,
      wrongGuess,
      newPassword,
      userPassword,
    ]
    const sendForm = (url: string, fields: Record<string, string>, more: InjectOptions = {}) =>
      send({
        method: 'POST',
        url,
        payload: new URLSearchParams(fields).toString(),
        ...more,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...more.headers },
      })
    await useEverything()
    async function send(options: InjectOptions) {
      const reply = await request(options)
      if (reply.statusCode >= 400) rejections.push(JSON.stringify(reply.headers), reply.body)
      return reply
    }
    /** Sends API calls, visits, forms and many requests that are rejected. */
    async function useEverything(): Promise<void> {
      await useApi()
      await useLegacyApi()
      await useYourlsApi()
      for (const remoteAddress of visitors) await visit({ remoteAddress })
      await visit({ remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': proxiedVisitor } })
      await register()
      await resetPassword()
      await sendMalformedRequests()
    }
    async function useApi(): Promise<void> {
      const { headers } = owner
      const post = (url: string, payload: InjectOptions['payload'], more = {}) =>
        send({ method: 'POST', url, payload, headers: { ...headers, ...more } })
      const url = 'https://example.com/'
      await post('/api/url/add', { url, custom: 'plain' })
      await post('/api/url/add', { url, custom: 'locked', password: linkPassword })
      await post('/api/url/add', { url, custom: 'locked', password: linkPassword })
      await post('/api/url/add', { url: linkPassword, password: linkPassword })
      await post('/api/url/add', { url, password: [linkPassword] })
      await post('/api/url/add', `{"url": "${url}", "password": "${linkPassword}`)
      await post('/api/url/add', { url, password: linkPassword.repeat(20) })
      await post('/api/url/add', { url, password: linkPassword, expiry: owner.key })
      await post('/api/url/add', { url, password: linkPassword }, { 'idempotency-key': 'once' })
      await post('/api/url/add', { url, password: 'another' }, { 'idempotency-key': 'once' })
      await post('/api/url/add', `url=${url}&password=${linkPassword}`, {
        'content-type': 'text/csv',
      })
      await post('/api/qr/add', {
        type: 'wifi',
        data: { ssid: 'x', password: '', hidden: owner.key },
      })
      await send({
        method: 'PUT',
        url: '/api/account/update',
        payload: { password: newPassword },
        headers,
      })
      await send({
        method: 'PUT',
        url: '/api/account/update',
        payload: { email: newPassword },
        headers,
      })
      await send({ url: `/api/urls?short=${owner.key}`, headers })
      await send({ url: `/api/urls?limit=${owner.key}`, headers })
      await send({ url: `/api/url/${owner.key}`, headers })
      for (const authorization of [
        `Bearer ${owner.key}x`,
        `Basic ${owner.key}`,
        `Bearer\t${owner.key} x`,
      ]) {
        await send({ url: '/api/account', headers: { authorization } })
      }
    }
    async function useLegacyApi(): Promise<void> {
      const url = base64('https://example.com/')
      for (const path of [
        `create/password/${linkPassword}/url/${url}.json`,
        `create/password/${linkPassword}/custom_url/locked/url/${url}.xml`,
        `create/passwort/${linkPassword}/url/${url}.json`,
        `create/password/${linkPassword}/expiry_date/${linkPassword}/url/${url}.json`,
        `create/password/${linkPassword}/base_domain/${linkPassword}/url/${url}.xml`,
        `create/password/${linkPassword}%zz/url/${url}.json`,
        `info/short_url/${base64(owner.key)}.json`,
        `${linkPassword}.xml`,
      ]) {
        const reply = await callLegacyApi(app, owner.key, path)
        if (reply.statusCode >= 400) rejections.push(JSON.stringify(reply.headers), reply.body)
      }
      await send({ url: `/api/v1/${owner.key}x/shorturl/list_active_urls.json` })
      await send({ url: `/${owner.key}` })
      await send({ url: `/%zz/${owner.key}` })
    }
    async function useYourlsApi(): Promise<void> {
      const fields = { action: 'shorturl', url: 'https://example.com/', format: 'json' }
      for (const encode of [asQuery, asForm, asMultipart, asJson]) {
        await send(encode({ ...fields, signature: owner.key }))
        await send(
          encode({ ...fields, username: linkPassword, password: owner.key, keyword: 'a b' }),
        )
        await send(encode({ ...fields, signature: `${owner.key}x`, timestamp: '1' }))
      }
    }
    async function visit(from: InjectOptions): Promise<void> {
      const referer = `https://example.org/api/v1/${owner.key}/?password=${linkPassword}`
      const headers = { ...from.headers, referer, 'user-agent': 'Mozilla/5.0 Firefox/140.0' }
      const visitor = { ...from, headers }
      expect((await send({ ...visitor, url: '/plain' })).statusCode).toBe(302)
      expect((await send({ ...visitor, url: '/locked' })).statusCode).toBe(200)
      expect((await sendForm('/locked', { password: wrongGuess }, visitor)).statusCode).toBe(401)
      expect((await sendForm('/locked', { password: linkPassword }, visitor)).statusCode).toBe(303)
      await send({ ...visitor, url: '/nothing-here' })
      await sendForm('/locked', { password: `${wrongGuess}\0` }, visitor)
      await send({
        ...visitor,
        method: 'POST',
        url: '/locked',
        payload: `{"password":"${wrongGuess}`,
      })
    }
    async function register(): Promise<void> {
      const page = await request({ url: '/register' })
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
      const cookie = page.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
      const fields = {
        csrf,
        email: 'new@example.com',
        username: 'newUser',
        password: userPassword,
      }
      const from = { remoteAddress: visitors[0] ?? '', headers: { cookie } }
      await sendForm('/register', fields)
      await sendForm('/register', { ...fields, email: 'nonsense' }, from)
      const created = await sendForm('/register', fields, from)
      expect(created.statusCode).toBe(303)
      const key = created.cookies.find(({ name }) => name === 'brevis_new_key')?.value ?? ''
      expect(key).toMatch(/^brv_\w{42}$/)
      secrets.push(key)
      expect((await sendForm('/register', fields, from)).statusCode).toBe(409)
    }
    async function resetPassword(): Promise<void> {
      const { url } = await createPasswordReset(app.services, app.services.db, owner.account.id)
      secrets.push(url.slice(-43), resetPasswordTo)
      const { pathname } = new URL(url)
      const page = await request({ url: pathname })
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
      const cookie = page.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
      const from = { headers: { cookie } }
      await sendForm(`${pathname}x`, { csrf, newPassword: resetPasswordTo }, from)
      await sendForm(pathname, { csrf, newPassword: resetPasswordTo.repeat(20) }, from)
      const used = await sendForm(pathname, { csrf, newPassword: resetPasswordTo }, from)
      expect(used.statusCode).toBe(303)
      await sendForm(pathname, { csrf, newPassword: resetPasswordTo }, from)
    }
    /** Sends requests that Node's parser rejects, from this machine. */
    async function sendMalformedRequests(): Promise<void> {
      await app.listen()
      for (const packet of [
        `GET /api/v1/${owner.key}/shorturl/create/password/${linkPassword} x HTTP/1.1\r\n\r\n`,
        `GET /api/account HTTP/1.1\r\nHost: a\r\nAuthorization Bearer ${owner.key}\r\n\r\n`,
      ]) {
        const socket = connect(app.port(), '127.0.0.1')
        socket.write(packet)
        rejections.push(await text(socket))
      }
    }
    async function readJournal(): Promise<string> {
      const { journalDir } = app.services.config
      const files = await readdir(journalDir)
      const parts = await Promise.all(
        files.map((file) => readFile(join(journalDir, file), 'latin1')),
      )
      return parts.join('')
    }
    /** Returns every row of every table as text, like a database dump. */
    async function dumpTables(): Promise<string> {
      const { db } = app.services.database
      const tables = await sql<{ name: string }>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db)
      expect(tables.rows.length).toBeGreaterThan(20)
      const parts = []
      for (const { name } of tables.rows) {
        const { rows } = await sql<{
          row: string
        }>`select t::text as row from ${sql.raw(name)} t`.execute(db)
        parts.push(...rows.map(({ row }) => row))
      }
      return parts.join('\n')
    }
    return { secrets, readJournal, dumpTables }
  },
)

test('the log contains every request but no keys, passwords or IP addresses', ({
  traffic: { secrets },
}) => {
  const log = lines.join('')
  expect(lines.length).toBeGreaterThan(50)
  expect(log).toContain('"path":"/api/url/add"')
  expectNone(log, [...secrets, ...visitors, proxiedVisitor])
})

test('errors do not repeat secrets', ({ traffic: { secrets } }) => {
  expect(rejections.length).toBeGreaterThan(20)
  for (const rejection of rejections) expectNone(rejection, [...secrets, ...visitors])
})

test('the journal contains IP addresses only until their clicks are imported, and no keys or passwords', async ({
  app,
  make,
  owner,
  traffic: { secrets, readJournal },
}) => {
  const journalText = await readJournal()
  expect(journalText).toContain(visitors[0])
  expectNone(journalText, secrets)
  await app.importClicks()
  // Another writer in the same folder, with segments that hold only one click.
  const { journalDir } = app.services.config
  const journal = openJournal({ dir: journalDir, sync: 'fsync', segmentBytes: 1, onLoss: () => {} })
  const earlierFiles = await readdir(journalDir)
  const { id: linkId } = await make.link(owner)
  for (let count = 0; count < 3; count += 1) {
    const click = {
      linkId,
      at: Date.now(),
      address: '192.0.2.99',
      userAgent: '',
      referrer: '',
      languages: '',
    }
    await new Promise<void>((done) => journal.append(click, done))
  }
  const newSegments = (await readdir(journalDir)).filter((file) => !earlierFiles.includes(file))
  expect(newSegments).toHaveLength(3)
  await app.importClicks()
  const remainingSegments = (await readdir(journalDir)).filter((file) => newSegments.includes(file))
  expect(remainingSegments).toHaveLength(1)
  await journal.close()
})

test('no table contains a key, a password or an IP address', async ({
  app,
  owner,
  traffic: { secrets, dumpTables },
}) => {
  await app.importClicks()
  const dump = await dumpTables()
  expect(dump).toContain(owner.account.email)
  expect(dump).toContain('example.org')
  expectNone(dump, [...secrets, ...visitors, proxiedVisitor, '192.0.2.99'])
  for (const secret of secrets) {
    expectNone(dump, [Buffer.from(secret).toString('hex'), base64(secret).replace(/=+$/, '')])
  }
})

test('no metric contains a secret, an IP address, a link or an account', async ({
  owner,
  request,
  traffic: { secrets },
}) => {
  const { body } = await request({ url: '/metrics', remoteAddress: '127.0.0.1' })
  expect(body).toContain('brevis_visits_total')
  expectNone(body, [
    ...secrets,
    ...visitors,
    proxiedVisitor,
    owner.account.email,
    'locked',
    'plain',
  ])
})

/** Expects that a text contains none of the words. Shows the passage with the first one. */
function expectNone(text: string, words: readonly string[]): void {
  for (const word of words) {
    const index = text.indexOf(word)
    const passage = text.slice(Math.max(0, index - 200), index + 100)
    expect(index === -1 ? '' : `${word} in ${passage}`).toBe('')
  }
}
