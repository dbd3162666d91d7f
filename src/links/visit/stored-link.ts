import type { Entry, Kind, Lookups } from '../../db/local-store.ts'
import { MOMENT_COLUMNS } from '../fields.ts'
import type { LinkAddress } from '../link.ts'
import { type KnownLink, toKnownLink, type VisitRow } from './visit-link.queries.ts'

type LinkValue = {
  account_id: number
  domain_id: number | null
  splash_id: number | null
  overlay_id: number | null
  pixel_ids: number[] | null
  created_at: string
  ends_at: string | null
} & Readonly<Record<string, unknown>>

/** Assembles a link from entries in the local store. Returns undefined if any entry is missing. */
export function findStoredLink(
  { get, find }: Lookups,
  baseUrl: string,
  { domainId, alias }: LinkAddress,
): KnownLink | undefined {
  const link = find('link', `${domainId ?? ''}/${alias}`)
  if (!link) return undefined
  const value = link.value as LinkValue
  const getPart = (kind: Kind, id: number | null) => (id === null ? null : get(kind, id))
  const account = get('account', value.account_id)
  const domain = getPart('domain', value.domain_id)
  const splash = getPart('splash', value.splash_id)
  const overlay = getPart('overlay', value.overlay_id)
  const pixels = value.pixel_ids?.map((id) => get('pixel', id)) ?? []
  if ([account, domain, splash, overlay, ...pixels].includes(undefined)) return undefined
  return toKnownLink(baseUrl, {
    ...value,
    id: link.id,
    alias,
    ...parseMoments(value),
    ends_at: value.ends_at === null ? null : new Date(value.ends_at),
    created_at: new Date(value.created_at),
    suspended_at: account?.value.suspended_at,
    robots: account?.value.robots,
    origin: domain?.value.origin ?? null,
    domain_expired_url: domain?.value.expired_url ?? null,
    domain_forward_query: domain?.value.forward_query ?? null,
    domain_forward_path: domain?.value.forward_path ?? null,
    splash: splash?.value ?? null,
    overlay: overlay && toValueWithId(overlay),
    pixels: pixels.map((pixel) => pixel && toValueWithId(pixel)),
  } as unknown as VisitRow)
}

/** Parses times, which the store contains as text. */
function parseMoments(value: LinkValue): Record<string, Date> {
  const moments = MOMENT_COLUMNS.flatMap((name) => {
    const text = value[name]
    return typeof text === 'string' ? [[name, new Date(text)]] : []
  })
  return Object.fromEntries(moments)
}

function toValueWithId({ id, value }: Entry) {
  return { ...value, id }
}
