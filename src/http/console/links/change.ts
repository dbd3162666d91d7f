import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../../errors.ts'
import type { Services } from '../../../services.ts'
import { toAppError } from '../../errors.ts'
import { pathId } from '../path-id.ts'
import { faultText, fieldsOf, sendConsole } from '../send.ts'
import { deleteLinksPage } from './delete-page.ts'
import { sendList } from './list.ts'
import { type Outcome, outcomeParameter } from './outcome.ts'
import { addressOf, viewFrom } from './view.ts'

type OneRequest = FastifyRequest<{ Params: { id: string } }>
type Change = 'tag' | 'untag' | 'disable' | 'enable' | 'delete'

const hidden = { schema: { hide: true } }
/** Links that one form changes: more than a page shows. */
const MOST = 100

/** What the forms of the list change, and the buttons of a single link. */
export function linkChangeRoutes(app: FastifyInstance, services: Services): void {
  const { links, severalLinks, statistics } = services

  app.post('/links/change', hidden, async (request, reply) => {
    const { action, tag, back, sure } = fieldsOf(request.body, ['action', 'tag', 'back', 'sure'])
    const view = viewFrom(back)
    try {
      const ids = pickedIds(request.body)
      if (action === 'delete' && sure !== 'yes') return await askFirst(reply, ids, back)
      const outcome = await perform(action as Change, request.session.account.id, ids, tag)
      return await reply.redirect(addressOf(view, outcomeParameter(outcome)), 303)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.code !== 'invalid_input') throw rejection
      return sendList(services, reply, view, { error: faultText(rejection), status: 422 })
    }
  })

  for (const [change, status] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    app.post(`/links/:id/${change}`, hidden, async (request: OneRequest, reply) => {
      const id = pathId(request.params.id)
      await links.setStatus(request.session.account.id, id, status)
      return reply.redirect(`/console/links/${id}`, 303)
    })
  }

  app.post('/links/:id/delete', hidden, async (request: OneRequest, reply) => {
    await links.delete(request.session.account.id, pathId(request.params.id))
    const outcome = { done: 'deleted', count: 1 } as const
    return reply.redirect(addressOf(viewFrom(''), outcomeParameter(outcome)), 303)
  })

  async function perform(
    change: Change,
    accountId: number,
    ids: readonly number[],
    tag: string,
  ): Promise<Outcome> {
    switch (change) {
      case 'tag':
        return { done: 'tagged', count: await severalLinks.tag(accountId, ids, [named(tag)]) }
      case 'untag':
        return { done: 'untagged', count: await severalLinks.untag(accountId, ids, [named(tag)]) }
      case 'disable':
        return { done: 'disabled', ...(await severalLinks.setStatus(accountId, ids, 'disabled')) }
      case 'enable':
        return { done: 'enabled', ...(await severalLinks.setStatus(accountId, ids, 'active')) }
      case 'delete':
        return { done: 'deleted', count: await severalLinks.delete(accountId, ids) }
      default:
        change satisfies never
        throw new AppError('malformed_request')
    }
  }

  /** The page that asks whether links are really to be deleted, and names them. */
  async function askFirst(reply: FastifyReply, ids: readonly number[], back: string) {
    const names = await links.names(reply.request.session.account.id, ids)
    if (names.size === 0) throw new AppError('not_found')
    const totals = await statistics.totalsOf([...names.keys()])
    const picked = ids.flatMap((id) => {
      const name = names.get(id)
      return name ? { id, shortUrl: name.shortUrl, clicks: totals.get(id)?.clicks ?? 0 } : []
    })
    const address = addressOf(viewFrom(back))
    return sendConsole(reply, (frame) => deleteLinksPage(frame, { links: picked, address }))
  }
}

/** A tag that was typed. @throws AppError `invalid_input` where none was */
function named(tag: string): string {
  if (tag.trim() === '') throw invalid('tag', 'a name is needed to add or remove a tag')
  return tag
}

/** The links that were picked. @throws AppError `invalid_input` for none, too many, or no ids */
function pickedIds(body: unknown): number[] {
  const { id } = (body ?? {}) as Record<string, unknown>
  const given = [id ?? []].flat().map((each) => Number(each))
  if (given.length === 0) throw invalid('id', 'pick at least one link first')
  if (given.length > MOST) throw invalid('id', `pick at most ${MOST} links at once`)
  if (!given.every((each) => Number.isSafeInteger(each) && each > 0)) {
    throw new AppError('malformed_request')
  }
  return [...new Set(given)]
}
