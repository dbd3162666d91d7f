import { Type } from '@sinclair/typebox'
import {
  type AgentChange,
  listAgentChanges,
  MAX_UNDONE,
  undoAgentChange,
  undoAgentChangesSince,
} from '../../links/agent-changes.service.ts'
import { MAX_MOMENT_LENGTH, parseStart } from '../../links/rules/expiry.ts'
import type { Change } from '../../links/versions/snapshot.ts'
import { formatTimestamp } from '../timestamp.ts'
import { formatLink, toArgumentOfVersion } from './link-fields.ts'
import { defineTool, describeError } from './tool.ts'

const access = { scope: 'links', boundKeys: true } as const
const Time = Type.String({
  maxLength: MAX_MOMENT_LENGTH,
  description: 'UTC, such as 2026-11-28 13:45:00, or ISO 8601.',
})
const LISTED = 50
const MAX_VALUE = 200

const listChanges = defineTool({
  name: 'list_changes',
  title: 'List own changes',
  description: `Lists the changes that this key has made here in the last 24 hours and not undone, newest first, at most ${LISTED}.`,
  access,
  effect: 'reads',
  input: Type.Object({ since: Type.Optional(Time) }),
  async run({ scope, input }) {
    const since = input.since === undefined ? undefined : parseStart('since', input.since)
    const changes = (await listAgentChanges(scope, { since, limit: LISTED })).map(present)
    const text = changes.length > 0 ? changes.map(format).join('\n') : 'No changes to undo.'
    return { text, data: { changes } }
  },
})

const undoChange = defineTool({
  name: 'undo_change',
  title: 'Undo a change',
  description: 'Undoes one change of this key. A created link moves to the trash.',
  access,
  effect: 'changes',
  input: Type.Object({
    changeId: Type.String({
      pattern: '^[1-9]\\d{0,14}\\.\\d{1,15}$',
      description: 'The ID of the change in list_changes, such as 42.7.',
    }),
  }),
  async run({ scope, input }) {
    const change = present(await undoAgentChange(scope, input.changeId))
    return { text: `Undone: ${format(change)}`, data: { undone: change } }
  },
})

const undoChangesSince = defineTool({
  name: 'undo_changes_since',
  title: 'Undo all changes since a time',
  description: `Undoes all changes that this key has made since a time in the last 24 hours, newest first, at most ${MAX_UNDONE} a call.`,
  access,
  effect: 'changes',
  input: Type.Object({ since: Time }),
  async run({ scope, input }) {
    const since = parseStart('since', input.since)
    const { results, hasMore } = await undoAgentChangesSince(scope, since)
    const undone = results.filter(({ error }) => !error).map(present)
    const failed = results.flatMap(({ error, ...change }) =>
      error ? { ...present(change), error: describeError(error) } : [],
    )
    const lines = [
      `Undone ${undone.length} changes.${hasMore ? ' There are more: repeat the call.' : ''}`,
      ...undone.map(format),
      ...failed.map((change) => `Not undone: ${format(change)}: ${change.error}`),
    ]
    const isError = failed.length > 0 && undone.length === 0
    return { text: lines.join('\n'), data: { undone, failed, hasMore }, isError }
  },
})

function present({ id, linkId, at, shortUrl, title, changes, isCreation }: AgentChange) {
  const values = Object.entries(changes ?? {}).map(([name, change]) => [
    toArgumentOfVersion(name),
    shorten(change),
  ])
  return {
    changeId: id,
    at: formatTimestamp(at),
    link: { id: linkId, shortUrl, title },
    isCreation,
    ...(!isCreation && { changes: Object.fromEntries(values) as Record<string, unknown> }),
  }
}

/** Returns the values of a change. Long ones are cut off. */
function shorten({ before, after }: Change): Record<'before' | 'after', unknown> {
  const cut = (value: unknown) => {
    const text = JSON.stringify(value)
    return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : value
  }
  return { before: cut(before), after: cut(after) }
}

function format({ changeId, at, link, changes }: ReturnType<typeof present>): string {
  const names = changes && (Object.keys(changes).join(', ') || 'long values')
  return `${changeId} (${at}): ${formatLink(link)} ${names ? `changed ${names}` : 'created'}`
}

export const undoTools = [listChanges, undoChange, undoChangesSince]
