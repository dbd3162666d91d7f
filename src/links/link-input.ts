import type { Updateable } from 'kysely'
import type { ChargedPasswords } from '../accounts/charged-passwords.ts'
import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { LinkTable } from '../db/schema/links.ts'
import type { BrandedDomain } from '../domains/branded-domain.ts'
import type { Hosts } from '../domains/hosts.ts'
import { invalid } from '../errors.ts'
import { parseTargetUrl } from '../target-url.ts'
import { countryCode } from '../visitors/country-names.ts'
import { languageTarget } from '../visitors/language.ts'
import { deviceTarget } from '../visitors/user-agent.ts'
import type { Link, LinkInput } from './link.ts'
import { isOwn } from './link-input.queries.ts'
import { parseLinkType } from './link-type.ts'
import { createDomainReader } from './read-domain.ts'
import { parseExpiry } from './rules/expiry.ts'
import {
  boundedText,
  MAX_DESCRIPTION,
  MAX_PARAMETER_NAME,
  MAX_PARAMETER_VALUE,
  MAX_PARAMETERS,
  MAX_PASSWORD,
  MAX_PIXELS,
  MAX_TITLE,
} from './rules/lengths.ts'
import { parseTargets } from './targets.ts'

type Dependencies = {
  db: Db
  hosts: Hosts
  blockList: Pick<BlockList, 'check'>
  passwords: ChargedPasswords
  clock: Clock
}

export type LinkColumns = Updateable<LinkTable>

type Read = {
  /** The columns of the fields that were given. */
  columns: LinkColumns
  /** The domain named; null for the service's own, undefined where none was given. */
  domain: Pick<BrandedDomain, 'id' | 'origin'> | null | undefined
}

/**
 * Turns what a client sent into what is stored, field by field. An absent field gives no column, so
 * the same reader serves creations and updates.
 */
export function createLinkInputReader({ db, hosts, blockList, passwords, clock }: Dependencies) {
  const readDomain = createDomainReader({ db, hosts })

  /** A target that does not lead back to the service: such a link would go round in a circle. */
  async function checkUrl(field: string, value: string): Promise<string> {
    const url = parseTargetUrl(field, value)
    if (await hosts.isOurs(url.host))
      throw invalid(field, 'must not lead to the short-link service itself')
    await blockList.check(field, url)
    return url.href
  }

  /** An unchanged target is kept even where the rules became stricter since it was stored. */
  async function keepUrl(field: string, value: string): Promise<string> {
    const url = URL.parse(value)
    if (url) await blockList.check(field, url)
    return value
  }

  return async function read(accountId: number, input: LinkInput, current?: Link): Promise<Read> {
    const { expiresAt, meta: { title, description, image } = {}, parameters, password } = input
    const columns: LinkColumns = {
      url: await (input.url === current?.url ? keepUrl : checkUrl)('url', input.url),
      ...(await readType(db, accountId, input.type)),
      ...(await readTargets(input)),
    }
    if (expiresAt !== undefined)
      columns.expires_at = expiresAt ? parseExpiry('expiresAt', expiresAt, clock()) : null
    if (title !== undefined)
      columns.meta_title = title && boundedText('meta.title', title, MAX_TITLE)
    if (description !== undefined) {
      columns.meta_description =
        description && boundedText('meta.description', description, MAX_DESCRIPTION)
    }
    if (image !== undefined) {
      columns.meta_image = image ? parseTargetUrl('meta.image', image).href : null
    }
    if (parameters !== undefined) columns.parameters = readParameters(parameters ?? [])
    if ((input.pixels ?? []).length > MAX_PIXELS) {
      throw invalid('pixels', `must have at most ${MAX_PIXELS} entries`)
    }
    const domain = await readDomain(accountId, input.domain)
    if (password !== undefined) {
      const text = boundedText('password', password ?? '', MAX_PASSWORD)
      columns.password_hash = text ? await passwords.hash(accountId, text) : null
    }
    return { columns, domain }
  }

  async function readTargets(input: LinkInput): Promise<LinkColumns> {
    const { geoTargets, deviceTargets, languageTargets } = input
    const columns: LinkColumns = {}
    if (geoTargets !== undefined) {
      const options = {
        field: 'geoTargets',
        nameField: 'location',
        canonical: countryCode,
        checkUrl,
      } as const
      columns.geo_targets = JSON.stringify(await parseTargets(geoTargets ?? [], options))
    }
    if (deviceTargets !== undefined) {
      const options = {
        field: 'deviceTargets',
        nameField: 'device',
        canonical: deviceTarget,
        checkUrl,
      } as const
      columns.device_targets = JSON.stringify(await parseTargets(deviceTargets ?? [], options))
    }
    if (languageTargets !== undefined) {
      const options = {
        field: 'languageTargets',
        nameField: 'language',
        canonical: languageTarget,
        checkUrl,
      } as const
      columns.language_targets = JSON.stringify(await parseTargets(languageTargets ?? [], options))
    }
    return columns
  }
}

function readParameters(parameters: NonNullable<LinkInput['parameters']>): string {
  if (parameters.length > MAX_PARAMETERS) {
    throw invalid('parameters', `must have at most ${MAX_PARAMETERS} entries`)
  }
  const read = parameters.map(({ name, value }, index) => ({
    name: boundedText(`parameters[${index}].name`, name ?? '', MAX_PARAMETER_NAME),
    value: boundedText(`parameters[${index}].value`, value ?? '', MAX_PARAMETER_VALUE),
  }))
  return JSON.stringify(read.filter(({ name }) => name !== ''))
}

async function readType(db: Db, accountId: number, type: string | null | undefined) {
  if (type === undefined) return {}
  const { redirect, splashId, overlayId } = parseLinkType(type ?? 'direct')
  if (splashId !== null) await requireOwn(db, 'splash_pages', accountId, splashId, 'a splash page')
  if (overlayId !== null) await requireOwn(db, 'overlays', accountId, overlayId, 'an overlay')
  return { redirect, splash_id: splashId, overlay_id: overlayId }
}

async function requireOwn(
  db: Db,
  table: 'splash_pages' | 'overlays',
  accountId: number,
  id: number,
  name: string,
): Promise<void> {
  if (!(await isOwn(db, table, accountId, id)))
    throw invalid('type', `names ${name} that does not exist`)
}
