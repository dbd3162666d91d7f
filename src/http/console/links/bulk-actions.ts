import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError, invalid } from '../../../errors.ts'
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
import { linksMessages as messages } from './messages.ts'
import type { Outcome } from './outcome.ts'

type Result = BulkChange & { blocked?: number }
type Work = (
  acting: ActingContext,
  accountId: number,
  ids: readonly number[],
  value: string,
) => Promise<Result>

type Action = {
  /** Changes the links of one batch. */
  work: Work
  /** The name of the outcome message. */
  done: Outcome['done']
  /** The action that undoes this one. */
  opposite?: UndoAction
}

export type ActionName = UndoAction | 'expire'

/** The number of links changed in one transaction. */
const BATCH_SIZE = 1000

/** Creates the bulk actions on links. */
export function createBulkActions(ctx: HttpContext) {
  const { db } = ctx
  const actions: Record<ActionName, Action> = {
    tag: {
      work: (acting, account, ids, tag) => tagLinks(acting, db, account, ids, [requireTag(tag)]),
      done: 'tagged',
      opposite: 'untag',
    },
    untag: {
      work: (acting, account, ids, tag) => untagLinks(acting, db, account, ids, [requireTag(tag)]),
      done: 'untagged',
      opposite: 'tag',
    },
    disable: {
      work: (acting, account, ids) => setLinkStatuses(acting, db, account, ids, 'disabled'),
      done: 'disabled',
      opposite: 'enable',
    },
    enable: {
      work: (acting, account, ids) => setLinkStatuses(acting, db, account, ids, 'active'),
      done: 'enabled',
      opposite: 'disable',
    },
    archive: {
      work: (acting, account, ids) => setArchived(acting, db, account, ids, true),
      done: 'archived',
      opposite: 'unarchive',
    },
    unarchive: {
      work: (acting, account, ids) => setArchived(acting, db, account, ids, false),
      done: 'unarchived',
      opposite: 'archive',
    },
    delete: {
      work: (acting, account, ids) => deleteLinks(acting, db, account, ids),
      done: 'deleted',
      opposite: 'restore',
    },
    restore: {
      async work(acting, account, ids) {
        const changed = await restoreLinks(acting, db, account, ids)
        return { count: changed.length, changed }
      },
      done: 'restored',
      opposite: 'delete',
    },
    campaign: {
      work: (acting, account, ids, id) =>
        addToCampaign(acting, db, account, ids, requireCampaign(id)),
      done: 'campaigned',
      opposite: 'uncampaign',
    },
    uncampaign: {
      work: (acting, account, ids, id) =>
        removeFromCampaign(acting, db, account, ids, requireCampaign(id)),
      done: 'uncampaigned',
      opposite: 'campaign',
    },
    expire: {
      work: (acting, account, ids, day) => setExpirations(acting, db, account, ids, day),
      done: 'expiring',
    },
  }

  /** Changes links in batches, each in its own transaction, and records how to undo the change. */
  return async function perform(
    request: FastifyRequest,
    { action, ids, value }: Omit<Undo, 'action'> & { action: ActionName },
  ): Promise<{ outcome: Required<Outcome>; undo: number | undefined }> {
    const { work, done, opposite } = actions[action]
    const acting = createActingContext(ctx, request)
    const accountId = request.session.account.id
    const outcome = { done, count: 0, blocked: 0 } satisfies Outcome
    const changed: number[] = []
    for (let at = 0; at < ids.length; at += BATCH_SIZE) {
      const result = await work(acting, accountId, ids.slice(at, at + BATCH_SIZE), value)
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

/** Reads the action of a form. @throws AppError `malformed_request` */
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

/** Returns the tag in the form. @throws AppError `invalid_input` if it is missing */
function requireTag(tag: string): string {
  if (tag.trim() === '') throw invalid('tag', messages.tagMissing)
  return tag
}

/** Returns the selected campaign. @throws AppError `invalid_input` if it is missing */
function requireCampaign(campaign: string): number {
  if (!/^[1-9]\d{0,14}$/.test(campaign)) throw invalid('campaign', messages.campaignMissing)
  return Number(campaign)
}
