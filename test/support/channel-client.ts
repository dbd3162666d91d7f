import { type OwnerApp, resourceClient } from './api-client.ts'
import type { Owner } from './make.ts'

type Item = { type: string; id: number }

/** Returns functions for channels and their items, through the API and in the database. */
export function channelClient(ownerApp: OwnerApp) {
  const client = resourceClient(ownerApp, 'channel')
  const { send } = client
  const db = () => ownerApp.app.services.database.db
  const getChannel = async (id: number, query = '', caller?: Owner) =>
    (await send('GET', `/api/channel/${id}${query}`, undefined, caller)).json().data

  return {
    ...client,
    getChannel,
    assign: (channel: number | string, type: string, item: number | string, caller?: Owner) =>
      send('POST', `/api/channel/${channel}/assign/${type}/${item}`, undefined, caller),
    listItemNames: async (id: number) =>
      (await getChannel(id)).items.map(({ type, id: item }: Item) => `${type} ${item}`),
    getRow: (id: number) =>
      db().selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirst(),
    async countItems(id: number): Promise<number> {
      const rows = await db()
        .selectFrom('channel_items')
        .select('id')
        .where('channel_id', '=', id)
        .execute()
      return rows.length
    },
  }
}
