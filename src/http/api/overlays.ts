import { Type } from '@sinclair/typebox'
import type { Services } from '../../services.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import { presentPage, readPage } from './pagination.ts'
import { Id, ListQuery, listReply, replies, Timestamp } from './schemas.ts'

const tags = ['overlays and splash pages']
const OverlayEntry = Type.Object({
  id: Id,
  type: Type.String({ description: 'contact, poll, message, newsletter or image' }),
  name: Type.String(),
  date: Timestamp,
})
const SplashEntry = Type.Object({ id: Id, name: Type.String(), date: Timestamp })

/** The pages that the operator makes for an account: they can be listed and named by links. */
export function overlayRoutes(app: ApiApp, { config, overlays, splashes }: Services): void {
  app.get(
    '/overlay',
    {
      schema: {
        tags,
        summary: 'List call-to-action overlays',
        querystring: ListQuery,
        response: replies(listReply('cta', OverlayEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await overlays.list(account.id, page)
      const shown = entries.map(({ id, type, name, createdAt }) => ({
        id,
        type,
        name,
        date: formatTimestamp(createdAt),
      }))
      return presentPage('cta', shown, page, total, config.listError)
    },
  )

  app.get(
    '/splash',
    {
      schema: {
        tags,
        summary: 'List custom splash pages',
        querystring: ListQuery,
        response: replies(listReply('splash', SplashEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await splashes.list(account.id, page)
      const shown = entries.map(({ id, name, createdAt }) => ({
        id,
        name,
        date: formatTimestamp(createdAt),
      }))
      return presentPage('splash', shown, page, total, config.listError)
    },
  )
}
