import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import type { AppError } from '../../../../errors.ts'
import { getLink } from '../../../../links/link.service.ts'
import type { Actor } from '../../../../links/versions/actor.ts'
import {
  CREATION,
  listVersions,
  restoreVersion,
  type Version,
} from '../../../../links/versions/version.service.ts'
import { t } from '../../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../../errors.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { describeLabeledError } from '../../errors/labeled-error.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { createActingContext } from '../../shell/acting.ts'
import { formatMoment } from '../../shell/format-day.ts'
import { sendConsolePage } from '../../shell/send.ts'
import { setToast } from '../../shell/toast.ts'
import { renderHistoryPage, type VersionView } from './page.ts'
import { describeChanges } from './words.ts'

type HistoryRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: Record<string, unknown>
}>
type RestoreRequest = FastifyRequest<{ Params: { id: string; version: string } }>

const PER_PAGE = 50

/** Registers the routes of the history of a link and of the form that restores a version. */
export function registerHistoryRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/links/:id/history',
    handler: async ({ params, query }: HistoryRequest, reply) => {
      const page = Number(query.page)
      return sendHistory(reply, parsePathId(params.id), Number.isSafeInteger(page) ? page : 1)
    },
  })

  app.post(
    '/links/:id/history/:version/restore',
    formFor('editor'),
    async (request: RestoreRequest, reply) => {
      const { params, session } = request
      const id = parsePathId(params.id)
      const version = params.version === String(CREATION) ? CREATION : parsePathId(params.version)
      try {
        await restoreVersion(
          createActingContext(ctx, request),
          ctx.db,
          session.account.id,
          id,
          version,
        )
      } catch (error) {
        const rejection = toAppError(error, reply.request)
        if (rejection.code === 'internal' || rejection.code === 'not_found') throw rejection
        return sendHistory(reply, id, 1, rejection)
      }
      setToast(reply, 'versionRestored')
      return reply.redirect(`/console/links/${id}/history`, 303)
    },
  )

  async function sendHistory(
    reply: FastifyReply,
    id: number,
    requestedPage: number,
    rejection?: AppError,
  ): Promise<FastifyReply> {
    const { account, user } = reply.request.session
    const { timeZone } = user
    const accountId = account.id
    const link = await getLink(ctx, ctx.db, accountId, id)
    const page = Math.max(1, Math.min(requestedPage, 1000))
    const offset = (page - 1) * PER_PAGE
    const { entries, total } = await listVersions(ctx, ctx.db, accountId, id, {
      limit: PER_PAGE,
      offset,
    })
    const buildPagePath = (pageNumber: number) => `/console/links/${id}/history?page=${pageNumber}`
    const view = {
      link,
      versions: entries.map((version, index) => ({
        ...toVersionView(version, timeZone),
        isCurrent: offset + index === 0,
      })),
      newer: page > 1 ? buildPagePath(page - 1) : undefined,
      older: offset + PER_PAGE < total ? buildPagePath(page + 1) : undefined,
      error: rejection && describeLabeledError(rejection),
    }
    return sendConsolePage(reply, (frame) => renderHistoryPage(frame, view), {
      status: rejection ? (rejection.status === 400 ? 422 : rejection.status) : 200,
      headers: rejection ? createErrorHeaders(rejection) : {},
    })
  }
}

function toVersionView(version: Version, zone: string): Omit<VersionView, 'isCurrent'> {
  const { id, at, changes } = version
  return {
    id,
    at,
    moment: formatMoment(at, zone),
    by: describeAuthor(version),
    title: describeTitle(version, zone),
    changes: describeChanges(changes, zone),
  }
}

function describeTitle({ id, restores, restoredAt }: Version, zone: string): string | undefined {
  if (id === CREATION) return t('history.created')
  if (restores === null) return undefined
  return restoredAt
    ? t('history.restored', { date: formatMoment(restoredAt, zone) })
    : t('history.restoredOlder')
}

function describeAuthor({ actor, name }: Version): string {
  if (!actor) return t('history.unknown')
  const surface = t(`history.surfaces.${actor.surface}`)
  const author = describeActor(actor, name)
  return author === undefined ? surface : t('history.by', { name: author, surface })
}

function describeActor({ surface, id }: Actor, name: string | null): string | undefined {
  if (id === null) return undefined
  if (surface === 'console') return name ?? t('history.deleted.user')
  if (surface === 'import') return name ?? t('history.deleted.import')
  return name === null ? t('history.deleted.key') : t('history.key', { name })
}
