import { expect, test } from 'vitest'
import type { Context } from '../context.ts'
import type { Entry, Lookups } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { drawCampaignLink } from './campaign-visits.ts'

const active = { domain_id: null, status: 'active', starts_at: null, ends_at: null }
const links = new Map<number, Entry>([
  [1, { id: 1, name: '/light', value: active }],
  [2, { id: 2, name: '/heavy', value: active }],
  [3, { id: 3, name: '/off', value: { ...active, status: 'disabled' } }],
] as [number, Entry][])
const members = [
  { link_id: 1, weight: 1 },
  { link_id: 2, weight: 100 },
  { link_id: 3, weight: 100 },
]
const latest = {
  get: (kind: string, id: number) =>
    kind === 'link' ? links.get(id) : { id, name: null, value: { suspended_at: null } },
  find: () => ({ id: 9, name: 'spring', value: { account_id: 1 } }),
  list: () => members.map((value, index) => ({ id: index, name: '', value })),
} as unknown as Lookups
const away = {
  selectFrom() {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  },
} as unknown as Db

test('while the database is away, a rotator draws active links by their weights', async () => {
  const ctx = { clock: () => new Date(), store: { latest } } as unknown as Context
  const draws = await Promise.all(
    Array.from({ length: 80 }, () => drawCampaignLink(ctx, away, 'spring')),
  )
  const heavy = draws.filter((link) => link?.alias === 'heavy')
  expect(draws.every((link) => link?.alias === 'heavy' || link?.alias === 'light')).toBe(true)
  // Fair runs have 79 on average, and fewer than 60 in one of 10^20. Without weights, it is 40.
  expect(heavy.length).toBeGreaterThanOrEqual(60)
})
