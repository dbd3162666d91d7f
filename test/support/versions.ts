import { expect } from 'vitest'
import { apiClient } from './api-client.ts'
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

/** Returns a `test` for the history of links in the API: `history` lists and restores versions. */
export function versionTest() {
  return appTest().extend('history', { scope: 'file' }, ({ app, owner }) => {
    const send = apiClient({ app, owner })
    return {
      list: (id: number, caller = owner) => listVersions(app, caller, id),
      async update(id: number, payload: object, caller?: Owner) {
        const reply = await send('PUT', `/api/url/${id}/update`, payload, caller)
        expect(reply.json()).toMatchObject({ error: 0 })
      },
      restore: (id: number, version: number, caller?: Owner) =>
        send('POST', `/api/url/${id}/versions/${version}/restore`, undefined, caller),
      getDetails: async (id: number, caller?: Owner) =>
        (await send('GET', `/api/url/${id}`, undefined, caller)).json().details,
    }
  })
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
