import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { runCommand } from '../support/command.ts'
import { appTest } from '../support/test.ts'

const env = { BASE_URL: 'https://brev.example', OWN_HOSTS: 'www.brev.example' }

const test = appTest({ env })
  .extend('folder', async ({ app }, { onCleanup }) => {
    await app.services.database.pool.query('delete from qr_codes; delete from links')
    const folder = await mkdtemp(join(tmpdir(), 'brevis-publish-'))
    onCleanup(() => rm(folder, { recursive: true, force: true }))
    return folder
  })
  .extend(
    'run',
    ({ app }) =>
      (path: string, settings: Record<string, string> = {}) =>
        runCommand(['publish', path, '--json'], {
          env: { ...env, DATABASE_URL: app.databaseUrl, ...settings },
        }),
  )

test('publishing leaves out links that need the service, and lists how links differ', async ({
  app,
  make,
  folder,
  run: publish,
}) => {
  const owner = await make.owner()
  const suspended = await make.owner()
  const splash = await make.splash(owner)
  const overlay = await make.overlay(owner)
  const pixel = await make.pixel(owner)
  const otherUrl = 'https://example.com/other'
  await make.link(owner, { alias: 'plain' })
  await make.link(owner, { alias: 'titled', metaTitle: 'A title' })
  await make.link(owner, { alias: 'password', password: 'secret' })
  await make.link(owner, { alias: 'expires', expiresAt: '2099-01-01' })
  await make.link(owner, { alias: 'expired', expiresAt: '2099-01-01' })
  await make.link(owner, { alias: 'early', startsAt: '2099-01-01' })
  await make.link(owner, { alias: 'limited', maxClicks: 3, confirm: true })
  await make.link(owner, { alias: 'geo', geoTargets: [{ location: 'Germany', link: otherUrl }] })
  await make.link(owner, { alias: 'device', deviceTargets: [{ device: 'iPhone', link: otherUrl }] })
  await make.link(owner, {
    alias: 'language',
    languageTargets: [{ language: 'de', link: otherUrl }],
  })
  await make.link(owner, { alias: 'parameters', parameters: [{ name: 'a', value: 'b' }] })
  const variants = [
    { to: otherUrl, weight: 1 },
    { to: 'https://example.com/third', weight: 1 },
  ]
  await make.link(owner, { alias: 'split', split: variants })
  await make.link(owner, { alias: 'query', forwardQuery: true })
  await make.link(owner, { alias: 'path', forwardPath: true })
  await make.link(owner, { alias: 'pixels', pixels: [pixel.id] })
  await make.link(owner, { alias: 'frame', type: 'frame' })
  await make.link(owner, { alias: 'splash', type: String(splash.id) })
  await make.link(owner, { alias: 'overlay', type: `overlay-${overlay.id}` })
  await make.link(owner, { alias: 'disabled' })
  await make.link(owner, { alias: 'blocked', url: 'https://bad.example/' })
  await make.link(owner, { alias: 'both', type: 'frame', password: 'secret' })
  await make.link(owner, { alias: 'broken' })
  await make.link(suspended, { alias: 'suspended' })
  const { pool } = app.services.database
  await pool.query(`update links set status = 'disabled' where alias = 'disabled'`)
  await pool.query(`update links set expires_at = '2020-01-01' where alias = 'expired'`)
  await pool.query(`update links set url = 'javascript:alert(1)' where alias = 'broken'`)
  await pool.query(
    `insert into blocked_hosts (host, subdomains, blocked_by) values ('bad.example', false, 'a')`,
  )
  await pool.query('update accounts set suspended_at = now() where id = $1', [suspended.account.id])

  const path = join(folder, 'links')
  const outcome = await publish(path)
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(outcome.stdout)).toEqual({
    folder: path,
    hosts: 1,
    links: 23,
    published: 2,
    differences: 22,
  })
  const [header, ...rows] = parse(await readFile(join(path, 'differences.csv')), { bom: true })
  expect(header).toEqual(['Short URL', 'Published', 'Differences'])
  const reasonsByAlias = Object.fromEntries(
    rows.map(([url = '', published, reasons]: string[]) => [url, `${published}: ${reasons}`]),
  )
  const urlOf = (alias: string) => `https://brev.example/${alias}`
  expect(reasonsByAlias).toEqual({
    [urlOf('titled')]: 'yes: own preview',
    [urlOf('password')]: 'no: password',
    [urlOf('expires')]: 'no: expires',
    [urlOf('expired')]: 'no: expired',
    [urlOf('early')]: 'no: starts later',
    [urlOf('limited')]: 'no: click limit, confirmation',
    [urlOf('geo')]: 'no: targeting',
    [urlOf('device')]: 'no: targeting',
    [urlOf('language')]: 'no: targeting',
    [urlOf('parameters')]: 'no: parameters',
    [urlOf('split')]: 'no: split',
    [urlOf('query')]: 'no: forwarding',
    [urlOf('path')]: 'no: forwarding',
    [urlOf('pixels')]: 'no: pixels',
    [urlOf('frame')]: 'no: frame',
    [urlOf('splash')]: 'no: splash page',
    [urlOf('overlay')]: 'no: overlay',
    [urlOf('disabled')]: 'no: disabled',
    [urlOf('blocked')]: 'no: blocked host',
    [urlOf('both')]: 'no: password, frame',
    [urlOf('broken')]: 'no: invalid destination',
    [urlOf('suspended')]: 'no: account suspended',
  })
  const { links } = await readJson(path, 'brev.example')
  expect(links.map(({ alias }) => alias)).toEqual(['plain', 'titled'])
  await pool.query('delete from blocked_hosts')
})

test('publishing writes files for each host, with the redirects of its links and QR codes', async ({
  make,
  folder,
  run: publish,
}) => {
  const owner = await make.owner()
  await make.domain(owner, {
    domain: 'https://go.example:8443',
    redirectRoot: 'https://example.com/home',
    redirect404: 'https://example.com/gone',
  })
  await make.domain(owner, { domain: 'https://empty.example' })
  await make.link(owner, { alias: 'Café', url: 'https://example.com/?a=$b' })
  await make.link(owner, { alias: 'café', domain: 'go.example:8443' })
  await make.qr(owner, { data: 'https://example.com/qr' })

  const path = join(folder, 'links')
  await publish(path)
  expect(await readdir(path)).toEqual([
    'Caddyfile',
    'README.txt',
    'differences.csv',
    'hosts',
    'nginx-shared.conf',
  ])
  expect(await readdir(join(path, 'hosts'))).toEqual([
    'brev.example',
    'empty.example',
    'go.example+8443',
  ])
  expect(await readJson(path, 'go.example+8443')).toEqual({
    origin: 'https://go.example:8443',
    root: 'https://example.com/home',
    notFound: 'https://example.com/gone',
    links: [{ alias: 'café', url: 'https://example.com/target' }],
  })
  const { links } = await readJson(path, 'brev.example')
  expect(links).toContainEqual({ alias: 'Café', url: 'https://example.com/?a=$b' })
  expect(links).toContainEqual({ alias: expect.any(String), url: 'https://example.com/qr' })
  expect(await readFile(join(path, 'hosts/go.example+8443/_redirects'), 'utf8')).toBe(
    `/ https://example.com/home 302
/caf%C3%A9 https://example.com/target 302
/* https://example.com/gone 302
`,
  )
  const nginx = await readFile(join(path, 'hosts/brev.example/nginx.conf'), 'utf8')
  expect(nginx).toContain('server_name "brev.example" "www.brev.example";')
  const caddyfile = await readFile(join(path, 'hosts/brev.example/Caddyfile'), 'utf8')
  expect(caddyfile).toMatch(/^https:\/\/brev\.example, https:\/\/www\.brev\.example \{\n/)
})

test('publishing replaces an earlier result or an empty folder, and no other folder', async ({
  make,
  folder,
  run: publish,
}) => {
  const owner = await make.owner()
  const path = join(folder, 'parent', 'links')
  await publish(path)
  const first = await readlink(path)
  await make.link(owner, { alias: 'second' })
  await publish(path)
  expect(await readlink(path)).not.toBe(first)
  expect(await readdir(join(folder, 'parent'))).toEqual(['links', await readlink(path)].sort())
  expect((await readJson(path, 'brev.example')).links).toHaveLength(1)

  const foreign = join(folder, 'foreign')
  await mkdir(foreign)
  await writeFile(join(foreign, 'file'), 'unrelated')
  const rejected = await publish(foreign)
  expect([rejected.code, rejected.stdout]).toEqual([1, ''])
  expect(rejected.stderr).toBe(
    `brevis: ${foreign} exists and was not written by this command: name a new folder\n`,
  )
  expect(await readFile(join(foreign, 'file'), 'utf8')).toBe('unrelated')

  const empty = join(folder, 'empty')
  await mkdir(empty)
  expect((await publish(empty)).code).toBe(0)
  expect((await lstat(empty)).isSymbolicLink()).toBe(true)
})

test('publishing keeps the earlier result if it fails', async ({
  app,
  make,
  folder,
  run: publish,
}) => {
  const owner = await make.owner()
  const path = join(folder, 'links')
  await make.link(owner, { alias: 'kept' })
  await publish(path)
  const before = await readlink(path)
  const { pool } = app.services.database
  await pool.query('alter table link_pixels rename to away')
  const failed = await publish(path)
  await pool.query('alter table away rename to link_pixels')
  expect(failed.code).toBe(1)
  expect(await readdir(folder)).toEqual(['links', before].sort())
  expect((await readJson(path, 'brev.example')).links).toHaveLength(1)
})

test('publishing succeeds without links', async ({ folder, run: publish }) => {
  const path = join(folder, 'links')
  expect((await publish(path)).code).toBe(0)
  expect((await readJson(path, 'brev.example')).links).toEqual([])
})

// A column that affects visitors belongs in `publish.queries.ts` and `differences.ts`, too.
test('every column of links is known to affect publishing or not', async ({ app }) => {
  const relevant = [
    'alias',
    'account_id',
    'domain_id',
    'url',
    'status',
    'redirect',
    'overlay_id',
    'password_hash',
    'starts_at',
    'ends_at',
    'max_clicks',
    'confirm',
    'rules',
    'parameters',
    'forward_query',
    'forward_path',
    'split',
    'meta_title',
    'meta_description',
    'meta_image',
  ]
  const others = [
    'id',
    'kind',
    'splash_id',
    'created_at',
    'created_by',
    'blocked_at',
    'block_reason',
    'archived_at',
    'search_text',
    // `ends_at` combines `expires_at` and `used_up_at`. Links with `expired_url` have an end, too.
    'expires_at',
    'used_up_at',
    'expired_url',
  ]
  const { rows } = await app.services.database.pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'links'`,
  )
  expect(rows.map(({ name }) => name).sort()).toEqual([...relevant, ...others].sort())
})

type Json = { origin: string; links: { alias: string; url: string }[] }

async function readJson(path: string, host: string): Promise<Json> {
  return JSON.parse(await readFile(join(path, 'hosts', host, 'links.json'), 'utf8'))
}
