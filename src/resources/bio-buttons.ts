import { type AccountScope, unscoped } from '../db/account-rows.ts'
import type { BioLink } from '../db/column-types.ts'
import { notify } from '../db/notify.ts'
import type { Tx } from '../db/transaction.ts'
import { insertLinks } from '../links/insert-links.queries.ts'
import { removeLinks } from '../links/remove-links.queries.ts'
import { findAddress } from '../links/short-link.ts'
import { findLinkAt } from '../qr/code-link.queries.ts'
import { randomAlias } from '../urls/alias.ts'
import { isWebUrl } from '../urls/destination-url.ts'
import { listOwnLinks } from './bios.queries.ts'
import type { ResourceScope } from './definition.ts'

/** The link of a button. It is always on the service's own host. */
type ButtonLink = { linkId: number; alias: string }

/** Two random aliases collide about once in 10^12 attempts. */
const MAX_ATTEMPTS = 5

/**
 * A button to which `linkButtons` has not assigned a link of its own yet. Buttons that lead to this
 * service (`isOurs`) never get one.
 */
type NewButton = BioLink & { isOurs: boolean }

/**
 * Returns the buttons for these links. Those that lead to this service get no link of their own,
 * because links must not form a loop. If they lead to a short link of the account, that link counts
 * the clicks.
 */
export async function resolveButtons(
  scope: ResourceScope,
  links: readonly BioLink[],
): Promise<NewButton[]> {
  const buttons: NewButton[] = []
  for (const { title, url } of links) {
    const target = new URL(url)
    const isOurs = isWebUrl(target) && (await scope.hosts.isOurs(target.host))
    const linkId = isOurs ? await findAccountLink(scope, url) : undefined
    buttons.push({ title, url, isOurs, ...(linkId !== undefined && { linkId }) })
  }
  return buttons
}

/**
 * Assigns links to buttons. A button gets the link, and therefore the clicks, of the previous
 * button with the same URL or, failing that, with the same title. Returns the buttons to store, and
 * the aliases of the links that were created, changed or removed.
 */
export async function linkButtons(
  scope: AccountScope<Tx>,
  previousButtons: readonly BioLink[],
  buttons: readonly NewButton[],
): Promise<{ links: BioLink[]; changed: string[] }> {
  const tx = unscoped(scope)
  const unassigned = new Set(previousButtons.filter(({ alias }) => alias !== undefined))
  const takePrevious = (matches: (previous: BioLink) => boolean) => {
    const match = [...unassigned].find(matches)
    if (match) unassigned.delete(match)
    return match
  }
  const ownLinkButtons = buttons.filter(({ isOurs }) => !isOurs)
  const previousByButton = new Map(
    ownLinkButtons.map((button) => [button, takePrevious(({ url }) => url === button.url)]),
  )
  const changed: string[] = []
  for (const [button, previous] of previousByButton) {
    const retargeted = previous ? undefined : takePrevious(({ title }) => title === button.title)
    if (retargeted?.linkId === undefined) continue
    previousByButton.set(button, retargeted)
    await retargetButtonLink(tx, retargeted.linkId, button.url)
    changed.push(retargeted.alias ?? '')
  }
  const newButtons = ownLinkButtons.filter((button) => !previousByButton.get(button))
  const created = await insertButtonLinks(
    scope,
    newButtons.map(({ url }) => url),
  )
  const links = buttons.map((button): BioLink => {
    const { isOurs: _, ...link } = button
    const ownLink = previousByButton.get(button) ?? created[newButtons.indexOf(button)]
    return ownLink ? { ...link, ...toLinkFields(ownLink) } : link
  })
  const removed = await removeButtons(tx, [...unassigned])
  const all = [...changed, ...created.map(({ alias }) => alias)]
  await notifyButtons(tx, all)
  return { links, changed: [...all, ...removed] }
}

/** Deletes the links of buttons and their clicks. Returns their aliases. */
export async function removeButtons(tx: Tx, buttons: readonly BioLink[]): Promise<string[]> {
  const ownLinks = listOwnLinks(buttons)
  await removeLinks(
    tx,
    ownLinks.map(({ linkId }) => linkId),
  )
  const aliases = ownLinks.map(({ alias }) => alias)
  await notifyButtons(tx, aliases)
  return aliases
}

function notifyButtons(tx: Tx, aliases: readonly string[]): Promise<void> {
  return notify(
    tx,
    aliases.map((alias) => ({ kind: 'link', domainId: null, alias })),
  )
}

function toLinkFields({ linkId, alias }: Pick<BioLink, 'linkId' | 'alias'>): Partial<BioLink> {
  return { ...(linkId !== undefined && { linkId }), ...(alias !== undefined && { alias }) }
}

async function findAccountLink(scope: ResourceScope, url: string) {
  const { accountId } = scope
  const db = unscoped(scope)
  const address = await findAddress(scope, db, url, accountId)
  const link = address && (await findLinkAt(db, address.domainId, address.alias))
  return link?.accountId === accountId && !link.isOfCode ? link.id : undefined
}

/** Creates a link for each URL. Returns the links in the order of the URLs. */
async function insertButtonLinks(
  scope: AccountScope<Tx>,
  urls: readonly string[],
): Promise<ButtonLink[]> {
  const links: (ButtonLink | undefined)[] = urls.map(() => undefined)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const missing = [...links.keys()].filter((index) => !links[index])
    if (missing.length === 0) break
    const rows = missing.map((index) => ({
      account_id: scope.accountId,
      kind: 'bio' as const,
      alias: randomAlias(),
      url: urls[index] ?? '',
    }))
    const inserted = await insertLinks(unscoped(scope), rows)
    for (const [at, index] of missing.entries()) {
      const link = inserted[at]
      if (link) links[index] = { linkId: link.id, alias: rows[at]?.alias ?? '' }
    }
  }
  return links.map((link) => {
    if (!link) throw new Error(`no free alias in ${MAX_ATTEMPTS} attempts`)
    return link
  })
}

/** Changes the destination of a button. */
async function retargetButtonLink(tx: Tx, id: number, url: string): Promise<void> {
  await tx.updateTable('links').set({ url }).where('id', '=', id).execute()
}
