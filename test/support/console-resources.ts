import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inTransaction } from '../../src/db/transaction.ts'
import {
  listSubscriptions,
  setReportSetting,
} from '../../src/email-reports/subscription.service.ts'
import { createKey } from '../../src/identity/key.service.ts'
import { insertPasskey } from '../../src/identity/second-factor/passkey.queries.ts'
import { getSecondFactor } from '../../src/identity/second-factor/second-factor.service.ts'
import { createSession } from '../../src/identity/session.service.ts'
import { generateToken } from '../../src/identity/session.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { addItemToChannel } from '../../src/resources/channel-items.ts'
import { scopeOf } from '../../src/scope.ts'
import { importLinks, listImports } from '../../src/transfer/transfer.service.ts'
import { insertPart } from '../../src/transfer/upload.queries.ts'
import {
  addWebhook,
  listWebhookDeliveries,
  testWebhook,
} from '../../src/webhooks/webhook.service.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'
import { addMember, inviteTo, listOwnerSessions } from './members.ts'
import { createPasswordReset } from './password-reset.ts'

/** Path parameters. Additional ones are ignored. */
export type PathIds = Readonly<Record<string, unknown>>

type ResourceMaker = (app: TestApp, owner: Owner, url: string) => Promise<PathIds>

/** An awkward name: long, right-to-left, and with markup. */
export const HOSTILE_NAME = `\u202e"><b>مبيعات</b> ${'long'.repeat(10)}`

/**
 * Functions that create a resource, by the part of its console path before the id. Tests of all
 * routes fail for a path without one.
 */
const RESOURCE_MAKERS: Readonly<Record<string, ResourceMaker>> = {
  '/console/links': async ({ make }, owner) => {
    const { id } = await make.link(owner, {
      url: `https://example.com/${'a-very-long-path/'.repeat(100)}`,
      metaTitle: `${HOSTILE_NAME} ${'t'.repeat(150)}`,
      tags: ['Spring', '\u202etag', 'x'.repeat(50)],
      expiresAt: '2999-12-31',
    })
    return { id, version: 0 }
  },
  '/console/campaigns': async ({ make, services }, owner) => {
    const { id } = await make.campaign(owner, { name: HOSTILE_NAME, public: true })
    const link = await make.link(owner)
    await addLinkToCampaign({ ...services, accountId: owner.account.id }, id, link.id)
    return { id, link: link.id }
  },
  '/console/channels': async ({ make, services }, owner) => {
    const { id } = await make.channel(owner, { name: HOSTILE_NAME, color: '#0b6b5a' })
    const item = await make.link(owner)
    await addItemToChannel({ ...services, accountId: owner.account.id }, id, {
      type: 'links',
      id: item.id,
    })
    return { id, type: 'links', item: item.id }
  },
  '/console/bios': ({ make }, owner) => make.bio(owner, { title: HOSTILE_NAME }),
  '/console/overlays': ({ make }, owner) =>
    make.overlay(owner, {
      type: 'poll',
      name: HOSTILE_NAME,
      text: HOSTILE_NAME,
      options: [HOSTILE_NAME, 'B'],
    }),
  '/console/splashes': ({ make }, owner) => make.splash(owner, { name: HOSTILE_NAME }),
  '/console/domains': ({ make }, owner) => make.domain(owner),
  '/console/pixels': ({ make }, owner) => make.pixel(owner, { name: HOSTILE_NAME }),
  '/console/codes': ({ make }, owner) => make.qr(owner, { name: HOSTILE_NAME }),
  '/console/keys': async ({ services }, owner) => {
    const { id } = await createKey(scopeOf(services, owner.account.id), {
      name: HOSTILE_NAME.slice(0, 50),
    })
    return { id }
  },
  '/console/webhooks': async ({ services }, owner) => {
    const url = `https://hooks.example/${'long/'.repeat(60)}`
    const id = await addWebhook(scopeOf(services, owner.account.id), {
      url,
      events: ['link.created'],
    })
    await testWebhook(scopeOf(services, owner.account.id), id)
    const [delivery] = await listWebhookDeliveries(
      { db: services.db, accountId: owner.account.id },
      id,
    )
    return { id, delivery: delivery?.id ?? 0 }
  },
  '/console/account/sessions': async ({ services }, owner) => {
    await createSession(scopeOf(services, owner.account.id))
    const sessions = await listOwnerSessions({ services }, owner)
    return { id: Math.max(...sessions.map(({ id }) => id)) }
  },
  '/console/settings/reports': async ({ make, services }, owner) => {
    const { db } = services
    const scope = { db, accountId: owner.account.id }
    const { id: userId } = await getOwner(scope)
    const { id } = await make.link(owner)
    const key = { accountId: owner.account.id, userId, subject: { kind: 'link', id } } as const
    await setReportSetting(services, db, key, { setting: 'weekly', timeZone: 'UTC' })
    return { id: (await listSubscriptions({ ...services, ...scope }, userId)).at(-1)?.id ?? 0 }
  },
  '/console/account/second-factor/passkeys': async ({ services }, owner) => {
    const { id: userId } = await getOwner({ db: services.db, accountId: owner.account.id })
    const passkey = { credentialId: randomBytes(16), publicKey: Buffer.alloc(1), counter: 0 }
    const more = { userId, transports: [], name: HOSTILE_NAME.slice(0, 50), now: new Date() }
    await inTransaction(services.db, (tx) => insertPasskey(tx, { ...passkey, ...more }))
    const { passkeys } = await getSecondFactor(services.db, userId)
    return { id: passkeys.at(-1)?.id ?? 0 }
  },
  '/console/members': async (app, owner) => ({
    id: (await addMember(app, owner, 'viewer')).user.id,
  }),
  '/console/members/invitations': async (app, owner) => {
    const { id } = await inviteTo(app, owner, 'editor')
    return { id }
  },
  '/console/invitations': async (app, owner) => {
    const { token } = await inviteTo(app, owner, 'editor')
    return { token }
  },
  '/console/reset-password': async ({ services }, owner) => {
    const { url } = await createPasswordReset(services, services.db, owner.account.id)
    return { token: url.slice(url.lastIndexOf('/') + 1) }
  },
  '/console/unsubscribe': async () => ({ token: generateToken() }),
  '/console/operator/users': async (app, owner) => ({
    id: (await addMember(app, owner, 'viewer')).user.id,
  }),
  '/console/operator/accounts': async ({ make }) => {
    const { account } = await make.owner()
    return { id: account.id }
  },
  '/console/import': async ({ services }, owner, url) => {
    const { id } = owner.account
    const folder = await mkdtemp(join(tmpdir(), 'brevis-import-'))
    const from = join(folder, 'rows.csv')
    await writeFile(from, 'alias,url\nno//alias,https://example.com/\n')
    const source = url.endsWith('/links') ? 'list' : 'csv'
    const request = { source, from, name: 'rows', onTaken: 'skip', dryRun: false } as const
    await Array.fromAsync(importLinks(scopeOf(services, id), request))
    const content = await readFile(from)
    await rm(folder, { recursive: true })
    const [created] = await listImports({ db: services.db, accountId: id })
    // Like imports started in the console: a checked one waits to be started, others have failed.
    const state = url.endsWith('/start') ? 'checked' : 'failed'
    await services.database.db
      .updateTable('imports')
      .set({ background: true, state, dry_run: url.endsWith('/columns') })
      .where('id', '=', created?.id ?? 0)
      .execute()
    await insertPart(services.db, created?.id ?? 0, 0, content)
    return { id: created?.id ?? 0 }
  },
}

/** Creates the resource of a route's `url` and returns its path parameters. */
export async function createResource(app: TestApp, owner: Owner, url: string): Promise<PathIds> {
  const prefix = pathPrefix(url)
  if (prefix === undefined) return {}
  const make = RESOURCE_MAKERS[prefix]
  if (!make) throw new Error(`test/support/console-resources.ts creates no resource for ${url}`)
  return make(app, owner, url)
}

/** Returns the part of a path before the first parameter, or undefined without parameters. */
export function pathPrefix(url: string): string | undefined {
  return /^(.*?)\/:/.exec(url)?.[1]
}

/** Fills in the parameters of a path. */
export function fillPath(url: string, ids: PathIds): string {
  return url.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`no value for :${name} of ${url}`)
    return encodeURIComponent(String(id))
  })
}
