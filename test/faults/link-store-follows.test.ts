import { randomBytes, randomInt } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { deleteOwnAccount, finishDeletion } from '../../src/account-deletion/account-deletion.ts'
import { blockHost, unblockHost } from '../../src/blocked-hosts/blocked-host.service.ts'
import { createChildEnvironment } from '../../src/config.ts'
import { deleteDomain } from '../../src/links/domain-deletion.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import { bios } from '../../src/resources/bios.ts'
import { splashes } from '../../src/resources/splashes.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import type { Deployment } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { expectSameStore, untilStoreComplete } from '../support/link-store.ts'
import { signal, until } from '../support/processes.ts'
import { createEditor } from '../support/random-edits.ts'

const timeout = 240_000
const EDITS = createChildEnvironment({}).FAULT_ROUNDS ? 10_000 : 800
/** A busy machine edits slowly. Kills at intervals would occupy it with starts. */
const EDITS_PER_KILL = 40

const test = deploymentTest()
  .extend('one', { scope: 'file' }, ({ deployment }) => startInstance(deployment))
  .extend('two', { scope: 'file' }, ({ deployment }) => startInstance(deployment))

async function startInstance(deployment: Deployment): Promise<Instance> {
  const instance = await deployment.createInstance()
  await instance.start()
  await untilStoreComplete(instance)
  return instance
}

describe('the link store of an instance is rebuilt', () => {
  const damages: [string, (instance: Instance) => Promise<void>][] = [
    ['deleted', ({ dataDir }) => rm(join(dataDir, 'store'), { recursive: true })],
    ['without its log', async (instance) => rm(`${await findStoreFile(instance)}-wal`)],
    ['overwritten', async (instance) => overwriteStore(instance, randomBytes(100_000))],
    ['empty', async (instance) => overwriteStore(instance, Buffer.alloc(0))],
  ]

  test.for(damages)(
    'if its file is %s',
    { timeout },
    async ([, damage], { deployment, database, one }) => {
      const before = await findStoreFile(one)
      await damage(one)
      for (const alias of deployment.aliases) {
        expect(await send(`${one.origin}/${alias}`)).toMatchObject({ status: 302 })
      }
      await until('the store is replaced', async () => {
        const after = await findStoreFile(one)
        return after !== undefined && after !== before
      })
      await untilStoreComplete(one)
      await expectSameStore(one, database.url)
    },
  )

  async function overwriteStore(instance: Instance, content: Buffer): Promise<void> {
    await writeFile((await findStoreFile(instance)) ?? '', content)
    // The store is checked when it is opened.
    signal(await instance.waitForProcess('importer.ts'), 'SIGKILL')
  }
})

test('changes and deletions of a bio page reach both link stores immediately', async ({
  deployment,
  database,
  one,
  two,
}) => {
  const { make, services } = deployment
  const owner = await make.owner()
  const { id: account } = owner.account
  const bio = await make.bio(owner, { title: 'Before', links: [{ url: 'https://shop.example/' }] })
  const expectEverywhere = (alias: string, expected: object) =>
    Promise.all([one, two].map((instance) => expectReply(instance, `b/${alias}`, expected)))
  await expectEverywhere(bio.alias, { body: expect.stringContaining('Before') })
  await bios.update({ ...services, accountId: account }, bio.id, {
    title: 'After',
    alias: 'moved-page',
    links: [{ url: 'https://blog.example/' }],
    picture: async () => Buffer.alloc(60_000, 1),
  })
  await expectEverywhere(bio.alias, { status: 404 })
  await expectEverywhere('moved-page', { body: expect.stringContaining('After') })
  await expectSameStore(one, database.url)
  await setSuspended(services, account, true)
  await expectEverywhere('moved-page', { status: 410 })
  await setSuspended(services, account, false)
  await bios.remove({ ...services, accountId: account }, bio.id)
  await expectEverywhere('moved-page', { status: 404 })
  await expectSameStore(one, database.url)
  await expectSameStore(two, database.url)
})

describe('a change takes effect immediately in its instance and soon in others if it', () => {
  test('changes or deletes a link', async ({ deployment, database, one, two }) => {
    const link = await deployment.make.link(deployment.owner, { url: 'https://example.com/old' })
    const expectReplyFrom = (instance: Instance, expected: object) =>
      expectReply(instance, link.alias, expected)
    const old = { status: 302, headers: { location: 'https://example.com/old' } }
    await Promise.all([expectReplyFrom(one, old), expectReplyFrom(two, old)])
    const updated = await send(`${one.origin}/api/url/${link.id}/update`, {
      method: 'PUT',
      headers: deployment.owner.headers,
      json: { url: 'https://example.com/new' },
    })
    expect(updated.status).toBe(200)
    const changed = { status: 302, headers: { location: 'https://example.com/new' } }
    expect(await send(`${one.origin}/${link.alias}`)).toMatchObject(changed)
    await expectReplyFrom(two, changed)
    await expectSameStore(two, database.url)
    await send(`${one.origin}/api/url/${link.id}/delete`, {
      method: 'DELETE',
      headers: deployment.owner.headers,
    })
    expect(await send(`${one.origin}/${link.alias}`)).toMatchObject({ status: 404 })
    await expectReplyFrom(two, { status: 404 })
    await expectSameStore(two, database.url)
  })

  test('affects a splash page, a blocked host, a domain or an account', { timeout }, async ({
    deployment,
    database,
    one,
    two,
  }) => {
    const { make, services } = deployment
    const owner = await make.owner()
    const { id: account } = owner.account
    const plainLink = await make.link(owner, { url: 'https://other.example/a' })
    const splash = await make.splash(owner, { title: 'Before' })
    const splashed = await make.link(owner, { type: String(splash.id) })
    const domain = await make.domain(owner, { domain: 'https://moving.test' })
    const branded = await make.link(owner, { domain: domain.host })
    const expectEverywhere = (alias: string, expected: object, host?: string) =>
      Promise.all([one, two].map((instance) => expectReply(instance, alias, expected, host)))
    await expectEverywhere(plainLink.alias, { status: 302 })
    await expectEverywhere(splashed.alias, { body: expect.stringContaining('Before') })
    await expectEverywhere(branded.alias, { status: 302 }, domain.host)

    await splashes.update({ ...services, accountId: account }, splash.id, {
      name: 'Welcome',
      title: 'After',
      message: 'You are leaving.',
    })
    await expectEverywhere(splashed.alias, { body: expect.stringContaining('After') })
    await blockHost(services, services.db, { host: 'other.example', by: 'test' })
    await expectEverywhere(plainLink.alias, { status: 410 })
    await unblockHost(services, services.db, 'other.example')
    await expectEverywhere(plainLink.alias, { status: 302 })
    await deleteLink(scopeOf(services, account), branded.id)
    await deleteDomain(scopeOf(services, account), domain.id)
    await make.domain(deployment.owner, { domain: 'https://moving.test' })
    await expectEverywhere(branded.alias, { status: 404 }, domain.host)
    await setSuspended(services, account, true)
    await expectEverywhere(plainLink.alias, { status: 410 })
    await setSuspended(services, account, false)
    await expectEverywhere(plainLink.alias, { status: 302 })
    await deleteOwnAccount(scopeOf(services, account))
    await expectEverywhere(plainLink.alias, { status: 410 })
    await finishDeletion({ db: services.db, accountId: account })
    await expectEverywhere(plainLink.alias, { status: 404 })
    await expectSameStore(one, database.url)
    await expectSameStore(two, database.url)
  })
})

test(`each store equals the database after ${EDITS} concurrent edits and killed importers`, {
  timeout,
}, async ({ deployment, database, one, two }) => {
  let remaining = EDITS
  let killed = 0
  const { edit, countRejected } = await createEditor(deployment)
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (remaining > 0) {
        remaining -= 1
        const isKillDue = remaining % EDITS_PER_KILL === 0
        await edit()
        if (isKillDue && (await killImporter(randomInt(2) ? one : two))) killed += 1
      }
    }),
  )
  expect(countRejected()).toBeLessThan(EDITS / 4)
  expect(killed).toBeGreaterThan(1)
  await Promise.all([one, two].map((instance) => instance.waitForProcess('importer.ts')))
  await expectSameStore(one, database.url)
  await expectSameStore(two, database.url)
})

/** Kills the importer of an instance. Returns false if it is not running. */
async function killImporter(instance: Instance): Promise<boolean> {
  const [pid] = await instance.listPids('importer.ts')
  return pid !== undefined && signal(pid, 'SIGKILL')
}

async function findStoreFile({ dataDir }: Instance): Promise<string | undefined> {
  const folder = join(dataDir, 'store')
  const files = await readdir(folder).catch(() => [])
  const name = files.find((file) => /^links-\w+\.db$/.test(file))
  return name && join(folder, name)
}

async function expectReply(
  { origin }: Instance,
  alias: string,
  expected: object,
  host = new URL(origin).host,
): Promise<void> {
  await expect
    .poll(() => send(`${origin}/${alias}`, { headers: { host } }), { interval: 20 })
    .toMatchObject(expected)
}
