import { expect } from 'vitest'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'

export type ListedVersion = {
  id: number
  date: string
  surface: string | null
  by: { type: string; id: number; name: string | null } | null
  restores: number | null
  changes: Record<string, { before: unknown; after: unknown }>
}

/** Tests of the history of links by the API: `history` reads it and restores from it. */
export function versionTest() {
  return appTest().extend('history', { scope: 'file' }, ({ app, owner }) => ({
    list: (id: number, caller = owner) => listVersions(app, caller, id),
    update: async (id: number, payload: object, caller = owner) => {
      const url = `/api/url/${id}/update`
      const { headers } = caller
      const reply = await app.request({ method: 'PUT', url, headers, payload })
      expect(reply.json()).toMatchObject({ error: 0 })
    },
    restore: (id: number, version: number, caller = owner) =>
      app.request({
        method: 'POST',
        url: `/api/url/${id}/versions/${version}/restore`,
        headers: caller.headers,
      }),
    details: async (id: number, caller = owner) =>
      (await app.request({ url: `/api/url/${id}`, headers: caller.headers })).json().details,
  }))
}

export async function listVersions(
  { request }: TestApp,
  { headers }: Pick<Owner, 'headers'>,
  id: number,
  query = '',
): Promise<ListedVersion[]> {
  const reply = await request({ url: `/api/url/${id}/versions${query}`, headers })
  expect(reply.statusCode).toBe(200)
  return reply.json().data.versions
}
