import { expect } from 'vitest'
import { type OwnerApp, resourceClient } from './api-client.ts'
import type { Owner } from './make.ts'
import { readCode } from './read-code.ts'

/** Returns helpers that manage QR codes through the API, scan them as a visitor, and read their rows. */
export function qrClient(ownerApp: OwnerApp) {
  const client = resourceClient(ownerApp, 'qr')
  const db = () => ownerApp.app.services.database.db

  /** Returns the decoded content of a code's image. */
  async function scan(link: string) {
    const reply = await ownerApp.app.request({ url: new URL(link).pathname })
    expect(reply.statusCode).toBe(200)
    return readCode(reply.rawPayload)
  }

  return {
    ...client,
    scan,
    async create(payload: object, caller?: Owner): Promise<{ id: number; link: string }> {
      const reply = await client.add(payload, caller)
      expect(reply.statusCode, reply.body).toBe(200)
      return reply.json()
    },
    /** Scans a dynamic code and returns the reply to the visitor. */
    follow: async (link: string) =>
      ownerApp.app.request({ url: new URL((await scan(link)) ?? '').pathname }),
    getRow: (id: number) =>
      db().selectFrom('qr_codes').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    /** Returns the number of rows of a code's link and its clicks, after the importer's cleanup. */
    async countTraces(linkId: number | null): Promise<number> {
      await ownerApp.app.importClicks()
      const links = await db().selectFrom('links').select('id').where('id', '=', linkId).execute()
      const clicks = await Promise.all(
        (['click_totals', 'clicks'] as const).map((table) =>
          db().selectFrom(table).select('link_id').where('link_id', '=', linkId).execute(),
        ),
      )
      return links.length + clicks.flat().length
    },
  }
}
