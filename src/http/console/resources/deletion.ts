import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../../errors.ts'
import { toAppError } from '../../errors.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { sendConsolePage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { renderResourceDeletionPage } from './deletion-page.ts'
import type { Resource } from './resource.ts'

type ResourceRequest = FastifyRequest<{ Params: { id: string } }>

/**
 * Registers the routes of the page that confirms the deletion of a resource, and of the deletion. If
 * the resource cannot be deleted, the page shows the reason.
 */
export function registerDeletionRoutes<Entry extends { id: number }>(
  app: FastifyInstance,
  resource: Pick<Resource<Entry>, 'words' | 'nameOf' | 'get' | 'remove'>,
): void {
  const { nameOf, get, remove } = resource
  const { section } = resource.words
  const url = `${section.slice('/console'.length)}/:id/delete`

  app.route({
    ...pageFor('editor'),
    url,
    handler: async (request: ResourceRequest, reply) =>
      sendDeletion(reply, await getEntry(request)),
  })

  app.post(url, formFor('editor'), async (request: ResourceRequest, reply) => {
    const entry = await getEntry(request)
    try {
      await remove(request.session.account.id, entry.id)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      return sendDeletion(reply, entry, rejection)
    }
    setToast(reply, 'deleted')
    return reply.redirect(section, 303)
  })

  function getEntry({ session, params }: ResourceRequest): Promise<Entry> {
    return get(session.account.id, parsePathId(params.id))
  }

  function sendDeletion(reply: FastifyReply, entry: Entry, rejection?: AppError) {
    const page = {
      words: resource.words,
      resource: { id: entry.id, name: nameOf(entry) },
      ...(rejection && { error: describeLabeledError(rejection) }),
    }
    const status = rejection?.status ?? 200
    return sendConsolePage(reply, (frame) => renderResourceDeletionPage(frame, page), { status })
  }
}
