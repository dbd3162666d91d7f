import { randomBytes, randomInt } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { setSuspended } from '../../src/accounts/account.service.ts'
import { deleteOwnAccount, finishDeletion } from '../../src/accounts/account-deletion.ts'
import { deleteBio, updateBio } from '../../src/bio/bio.service.ts'
import { blockHost, unblockHost } from '../../src/blocked-hosts/blocked-host.service.ts'
import { addLinkToCampaign, removeLinkFromCampaign } from '../../src/campaigns/campaign.service.ts'
import { childEnvironment } from '../../src/config.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { deleteDomain } from '../../src/links/domain-deletion.ts'
import { deleteLink, updateLink } from '../../src/links/link.service.ts'
import { updateSplash } from '../../src/splash/splash.service.ts'
import { send } from '../support/http.ts'
import { expectSameStore, untilStoreComplete } from '../support/link-store.ts'
import { signal, until } from '../support/processes.ts'
import type { Product } from '../support/product.ts'
import type { World } from '../support/world.ts'
import { worldTest } from '../support/world-test.ts'

const timeout = 240_000
const EDITS = childEnvironment({}).FAULT_ROUNDS ? 10_000 : 2000

const test = worldTest()
  .extend('one', { scope: 'file' }, ({ world }) => start(world))
  .extend('two', { scope: 'file' }, ({ world }) => start(world))

async function start(world: World): Promise<Product> {
  const product = await world.product()
  await product.start()
  await untilStoreComplete(product)
  return product
}

describe('the link store is rebuilt', () => {
  const damages: [string, (product: Product) => Promise<void>][] = [
    ['deleted', ({ dataDir }) => rm(join(dataDir, 'store'), { recursive: true })],
    ['without its log', async (product) => rm(`${await storeOf(product)}-wal`)],
    ['overwritten', async (product) => overwrite(product, randomBytes(100_000))],
    ['empty', async (product) => overwrite(product, Buffer.alloc(0))],
  ]

  test.for(damages)('if it is %s', { timeout }, async ([, damage], { world, database, one }) => {
    const before = await storeOf(one)
    await damage(one)
    for (const alias of world.aliases) {
      expect(await send(`${one.origin}/${alias}`)).toMatchObject({ status: 302 })
    }
    await until('the store is replaced', async () => {
      const after = await storeOf(one)
      return after !== undefined && after !== before
    })
    await untilStoreComplete(one)
    await expectSameStore(one, database.url)
  })

  async function overwrite(product: Product, content: Buffer): Promise<void> {
    await writeFile((await storeOf(product)) ?? '', content)
    // The store is checked when it is opened.
    signal(await product.processOf('importer.ts'), 'SIGKILL')
  }
})

test('changes and deletions of a bio page reach both link stores immediately', async ({
  world,
  database,
  one,
  two,
}) => {
  const { make, services } = world
  const owner = await make.owner()
  const { id: account } = owner.account
  const bio = await make.bio(owner, { title: 'Before', links: [{ url: 'https://shop.example/' }] })
  const everywhere = (alias: string, expected: object) =>
    Promise.all([one, two].map((product) => expectReply(product, `b/${alias}`, expected)))
  await everywhere(bio.alias, { body: expect.stringContaining('Before') })
  await updateBio(services, services.db, account, bio.id, {
    title: 'After',
    alias: 'moved-page',
    links: [{ url: 'https://blog.example/' }],
    picture: Buffer.alloc(60_000, 1),
  })
  await everywhere(bio.alias, { status: 404 })
  await everywhere('moved-page', { body: expect.stringContaining('After') })
  await expectSameStore(one, database.url)
  await suspend(world, account, true)
  await everywhere('moved-page', { status: 410 })
  await suspend(world, account, false)
  await deleteBio(services, services.db, account, bio.id)
  await everywhere('moved-page', { status: 404 })
  await expectSameStore(one, database.url)
  await expectSameStore(two, database.url)
})

describe('a change takes effect immediately in its process and within a second in others', () => {
  test('to a link, and its deletion', async ({ world, database, one, two }) => {
    const link = await world.make.link(world.owner, { url: 'https://example.com/old' })
    const replies = (product: Product, expected: object) =>
      expectReply(product, link.alias, expected)
    const old = { status: 302, headers: { location: 'https://example.com/old' } }
    await Promise.all([replies(one, old), replies(two, old)])
    const updated = await send(`${one.origin}/api/url/${link.id}/update`, {
      method: 'PUT',
      headers: world.owner.headers,
      json: { url: 'https://example.com/new' },
    })
    expect(updated.status).toBe(200)
    const changed = { status: 302, headers: { location: 'https://example.com/new' } }
    expect(await send(`${one.origin}/${link.alias}`)).toMatchObject(changed)
    await replies(two, changed)
    await expectSameStore(two, database.url)
    await send(`${one.origin}/api/url/${link.id}/delete`, {
      method: 'DELETE',
      headers: world.owner.headers,
    })
    expect(await send(`${one.origin}/${link.alias}`)).toMatchObject({ status: 404 })
    await replies(two, { status: 404 })
    await expectSameStore(two, database.url)
  })

  test('to an account, a blocked host, a splash page and a domain', { timeout }, async ({
    world,
    database,
    one,
    two,
  }) => {
    const { make, services } = world
    const owner = await make.owner()
    const { id: account } = owner.account
    const plainLink = await make.link(owner, { url: 'https://other.example/a' })
    const splash = await make.splash(owner, { title: 'Before' })
    const splashed = await make.link(owner, { type: String(splash.id) })
    const domain = await make.domain(owner, { domain: 'https://moving.test' })
    const branded = await make.link(owner, { domain: domain.host })
    const everywhere = (alias: string, expected: object, host?: string) =>
      Promise.all([one, two].map((product) => expectReply(product, alias, expected, host)))
    await everywhere(plainLink.alias, { status: 302 })
    await everywhere(splashed.alias, { body: expect.stringContaining('Before') })
    await everywhere(branded.alias, { status: 302 }, domain.host)

    await updateSplash(services, services.db, account, splash.id, {
      name: 'Welcome',
      title: 'After',
      message: 'You are leaving.',
    })
    await everywhere(splashed.alias, { body: expect.stringContaining('After') })
    await blockHost(services, services.db, { host: 'other.example', by: 'test' })
    await everywhere(plainLink.alias, { status: 410 })
    await unblockHost(services, services.db, 'other.example')
    await everywhere(plainLink.alias, { status: 302 })
    await deleteLink(services, services.db, account, branded.id)
    await deleteDomain(services, services.db, account, domain.id)
    await make.domain(world.owner, { domain: 'https://moving.test' })
    await everywhere(branded.alias, { status: 404 }, domain.host)
    await suspend(world, account, true)
    await everywhere(plainLink.alias, { status: 410 })
    await suspend(world, account, false)
    await everywhere(plainLink.alias, { status: 302 })
    await deleteOwnAccount(services, services.db, account)
    await everywhere(plainLink.alias, { status: 410 })
    await finishDeletion(services.db, account)
    await everywhere(plainLink.alias, { status: 404 })
    await expectSameStore(one, database.url)
    await expectSameStore(two, database.url)
  })
})

test(`each store equals the database after ${EDITS} concurrent edits and killed importers`, {
  timeout,
}, async ({ world, database, one, two }) => {
  const editing = new AbortController()
  const killing = killImporters([one, two], editing.signal)
  let remaining = EDITS
  const { edit, countRejected } = await createEditor(world)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (remaining-- > 0) await edit()
    }),
  )
  editing.abort()
  expect(countRejected()).toBeLessThan(EDITS / 4)
  expect(await killing).toBeGreaterThan(1)
  await Promise.all([one, two].map((product) => product.processOf('importer.ts')))
  await expectSameStore(one, database.url)
  await expectSameStore(two, database.url)
})

/** Creates the function that makes one random change, in every table that stores follow. */
async function createEditor(world: World) {
  const { make, owner, services, database } = world
  const { id: account } = owner.account
  const [splash, overlay, pixel, campaign, bio, other] = await Promise.all([
    make.splash(owner),
    make.overlay(owner),
    make.pixel(owner),
    make.campaign(owner, { slug: 'random' }),
    make.bio(owner),
    make.owner(),
  ])
  const links: number[] = []
  const someLink = () => links[randomInt(links.length)] ?? 0
  const url = 'https://example.com/target'
  const run = (text: string, values: unknown[] = []) => database.pool.query(text, values)
  const edits: (() => Promise<unknown>)[] = [
    async () => links.push((await make.link(owner)).id),
    async () => links.push((await make.link(owner, { pixels: [pixel.id] })).id),
    () =>
      updateLink(services, services.db, account, someLink(), {
        url: `https://example.com/${randomInt(99)}`,
      }),
    () => updateLink(services, services.db, account, someLink(), { url, type: String(splash.id) }),
    () =>
      updateLink(services, services.db, account, someLink(), {
        url,
        type: `overlay-${overlay.id}`,
      }),
    async () => {
      for (const id of links.splice(randomInt(links.length), 1))
        await deleteLink(services, services.db, account, id)
    },
    () => addLinkToCampaign(services.db, account, campaign.id, someLink()),
    () =>
      updateBio(services, services.db, account, bio.id, {
        alias: `random-${randomInt(9)}`,
        links: [{ url: `https://${randomInt(9)}.example` }],
      }),
    () => removeLinkFromCampaign(services.db, account, campaign.id, someLink()),
    () => suspend(world, other.account.id, randomInt(2) === 1),
    () => run(`update pixels set tag = $1 where id = $2`, [`AB-${randomInt(999)}`, pixel.id]),
    () => run(`update links set status = 'disabled' where id % 7 = $1`, [randomInt(7)]),
    // Commits long after transactions that started later.
    () =>
      run(
        `with slow as (select pg_sleep(random() / 5))
               update splash_pages set title = $1 from slow where id = $2`,
        [`${randomInt(999)}`, splash.id],
      ),
    () =>
      run(
        `insert into blocked_hosts (host, subdomains, blocked_by) values ($1, true, 'test')
               on conflict do nothing`,
        [`blocked-${randomInt(50)}.example`],
      ),
    () => run('delete from blocked_hosts where host = $1', [`blocked-${randomInt(50)}.example`]),
  ]
  let rejected = 0
  for (let index = 0; index < 50; index += 1) links.push((await make.link(owner)).id)
  const edit = async (): Promise<void> => {
    // Another editor may have deleted the link or hold a lock.
    await edits[randomInt(edits.length)]?.().catch(() => {
      rejected += 1
    })
    if (links.length < 20) links.push((await make.link(owner)).id)
  }
  return { edit, countRejected: () => rejected }
}

function suspend({ services }: World, account: number, suspended: boolean) {
  return inTransaction(services.db, (tx) => setSuspended(services, tx, account, suspended))
}

/** Kills importers until `signal` aborts. Returns the number killed. */
async function killImporters(products: readonly Product[], until: AbortSignal): Promise<number> {
  let killed = 0
  while (!until.aborted) {
    for (const product of products) {
      await sleep(randomInt(400))
      const [pid] = await product.processes('importer.ts')
      if (pid && signal(pid, 'SIGKILL')) killed += 1
    }
  }
  return killed
}

async function storeOf({ dataDir }: Product): Promise<string | undefined> {
  const folder = join(dataDir, 'store')
  const files = await readdir(folder).catch(() => [])
  const name = files.find((file) => /^links-\w+\.db$/.test(file))
  return name && join(folder, name)
}

async function expectReply(
  { origin }: Product,
  alias: string,
  expected: object,
  host = new URL(origin).host,
): Promise<void> {
  await expect
    .poll(() => send(`${origin}/${alias}`, { headers: { host } }), { timeout: 1000, interval: 20 })
    .toMatchObject(expected)
}
