import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import {
  addToCampaign,
  type BulkChange,
  removeFromCampaign,
  setArchived,
  setExpirations,
  setLinkStatuses,
  tagLinks,
  untagLinks,
} from '../../../links/bulk-links.service.ts'
import { deleteLinks, restoreLinks } from '../../../links/trash.service.ts'
import { recordUndo, type Undo, type UndoAction } from '../../../links/undo.service.ts'
import type { ActingContext } from '../../../links/versions/actor.ts'
import { createActingContext } from '../shell/acting.ts'
import type { Outcome } from './outcome.ts'

/** The changed links, and the number of links skipped because an admin disabled them. */
type BatchResult = BulkChange & { blocked?: number }

type Action = {
  /** Changes the links of one batch. `value` is the tag, the campaign's id or the day. */
  change: (
    acting: ActingContext,
    accountId: number,
    ids: readonly number[],
    value: string,
  ) => Promise<BatchResult>
  /** The name of the outcome message. */
  done: Outcome['done']
  /** The action that undoes this one, if it can be undone. */
  opposite?: UndoAction
}

export type ActionName = UndoAction | 'expire'

/** The number of links changed in one transaction. */
const BATCH_SIZE = 1000

/** Returns the function that performs actions on one or many links. */
export function createBulkActions(ctx: HttpContext) {
  const { db } = ctx
  const actions: Record<ActionName, Action> = {
    tag: {
      change: (acting, account, ids, tag) => tagLinks(acting, db, account, ids, [requireTag(tag)]),
      done: 'tagged',
      opposite: 'untag',
    },
    untag: {
      change: (acting, account, ids, tag) =>
        untagLinks(acting, db, account, ids, [requireTag(tag)]),
      done: 'untagged',
      opposite: 'tag',
    },
    disable: {
      change: (acting, account, ids) => setLinkStatuses(acting, db, account, ids, 'disabled'),
      done: 'disabled',
      opposite: 'enable',
    },
    enable: {
      change: (acting, account, ids) => setLinkStatuses(acting, db, account, ids, 'active'),
      done: 'enabled',
      opposite: 'disable',
    },
    archive: {
      change: (acting, account, ids) => setArchived(acting, db, account, ids, true),
      done: 'archived',
      opposite: 'unarchive',
    },
    unarchive: {
      change: (acting, account, ids) => setArchived(acting, db, account, ids, false),
      done: 'unarchived',
      opposite: 'archive',
    },
    delete: {
      change: (acting, account, ids) => deleteLinks(acting, db, account, ids),
      done: 'deleted',
      opposite: 'restore',
    },
    restore: {
      async change(acting, account, ids) {
        const changed = await restoreLinks(acting, db, account, ids)
        return { count: changed.length, changed }
      },
      done: 'restored',
      opposite: 'delete',
    },
    campaign: {
      change: (acting, account, ids, id) =>
        addToCampaign(acting, db, account, ids, requireCampaign(id)),
      done: 'campaigned',
      opposite: 'uncampaign',
    },
    uncampaign: {
      change: (acting, account, ids, id) =>
        removeFromCampaign(acting, db, account, ids, requireCampaign(id)),
      done: 'uncampaigned',
      opposite: 'campaign',
    },
    expire: {
      change: (acting, account, ids, day) => setExpirations(acting, db, account, ids, day),
      done: 'expiring',
    },
  }

  /**
   * Changes links in batches, each in its own transaction. Records the change for undoing it, if links
   * were changed and the action can be undone, and returns the id of that record as `undo`.
   */
  return async function perform(
    request: FastifyRequest,
    { action, ids, value }: Omit<Undo, 'action'> & { action: ActionName },
  ): Promise<{ outcome: Required<Outcome>; undo: number | undefined }> {
    const { change, done, opposite } = actions[action]
    const acting = createActingContext(ctx, request)
    const accountId = request.session.account.id
    const outcome = { done, count: 0, blocked: 0 } satisfies Outcome
    const changed: number[] = []
    for (let start = 0; start < ids.length; start += BATCH_SIZE) {
      const batch = ids.slice(start, start + BATCH_SIZE)
      const result = await change(acting, accountId, batch, value)
      outcome.count += result.count
      outcome.blocked += result.blocked ?? 0
      for (const id of result.changed) changed.push(id)
    }
    const isUndoable = opposite !== undefined && changed.length > 0
    const undo = isUndoable
      ? await recordUndo(db, accountId, { action: opposite, value, ids: changed })
      : undefined
    return { outcome, undo }
  }
}

/** Returns the action with a name. @throws AppError `malformed_request` if it is unknown */
export function readAction(name: string): ActionName {
  const action = ACTION_NAMES.find((each) => each === name)
  if (!action) throw new AppError('malformed_request')
  return action
}

const ACTION_NAMES = [
  'tag',
  'untag',
  'disable',
  'enable',
  'archive',
  'unarchive',
  'delete',
  'restore',
  'campaign',
  'uncampaign',
  'expire',
] as const

/** Returns a tag unless it is blank. @throws AppError `invalid_input` naming `tag` */
function requireTag(tag: string): string {
  if (tag.trim() === '')
    throw new AppError('invalid_input', { field: 'tag', text: 'links.tagMissing' })
  return tag
}

/** Returns the id of the selected campaign. @throws AppError `invalid_input` naming `campaign` */
function requireCampaign(campaign: string): number {
  if (!/^[1-9]\d{0,14}$/.test(campaign))
    throw new AppError('invalid_input', { field: 'campaign', text: 'links.campaignMissing' })
  return Number(campaign)
}
