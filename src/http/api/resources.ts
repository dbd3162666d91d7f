import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import type { Account } from '../../identity/account.ts'
import type { AnyResource, Presence } from '../../resources/definition.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import {
  addErrorReplies,
  Clearable,
  createListReply,
  Id,
  ListQuery,
  normalizeBody,
  presentPage,
  readPage,
  Timestamp,
} from './schemas.ts'

type Values = Parameters<AnyResource['create']>[1]
type Stored = Awaited<ReturnType<AnyResource['get']>>

const PRESENCES: Record<Presence, (schema: TSchema) => TSchema> = {
  required: (schema) => schema,
  optional: (schema) => Type.Optional(schema),
  clearable: Clearable,
}

/** Registers all operations of a resource. */
export function registerResource(
  app: ApiApp,
  ctx: HttpContext,
  runOnce: RunOnce,
  resource: AnyResource,
): void {
  const { list, get, create, update, remove } = createOperations(app, ctx, runOnce, resource)
  list()
  if (resource.api.details) get()
  create()
  update()
  remove()
}

/** Returns the functions that register the operations of a resource, between which others can be. */
export function createOperations(
  app: ApiApp,
  ctx: HttpContext,
  runOnce: RunOnce,
  resource: AnyResource,
) {
  const { api, fields } = resource
  const { config } = ctx
  const { collection, noun, summaries, entry, details = [] } = api
  const { created = ['id'], updated = ['message'] } = api
  const tags = [api.tag]
  const Params = Type.Object({ id: Type.String({ description: `ID of the ${noun}.` }) })
  const EntryReply = Type.Object(select(entry))
  // Errors call fields by the names that the definition gives them.
  const writing = { fieldNames: {}, access: { scope: 'links' } } as const

  return {
    list: () =>
      app.get(
        api.listPath,
        {
          config: { access: { scope: 'read' } },
          schema: {
            tags,
            summary: summaries.list,
            querystring: ListQuery,
            response: addErrorReplies(createListReply(collection, EntryReply, config.listError)),
          },
        },
        async ({ scope, account, query }) => {
          const page = readPage(query)
          const { entries, total } = await resource.list(scope, page)
          const presented = entries.map((each) => present(account, each, entry))
          return presentPage(collection, presented, page, total, config.listError)
        },
      ),

    get: () =>
      app.get(
        `${api.path}/:id`,
        {
          config: { access: { scope: 'read' } },
          schema: {
            tags,
            summary: summaries.get,
            params: Params,
            response: addErrorReplies(
              Type.Object({ error: Type.Literal(0), details: Type.Object(select(details)) }),
            ),
          },
        },
        async ({ scope, account, params }) => {
          const found = await resource.get(scope, parsePathId(params.id))
          return { error: 0 as const, details: present(account, found, details) }
        },
      ),

    create: () =>
      app.post(
        `${api.path}/add`,
        {
          config: writing,
          schema: {
            tags,
            summary: summaries.create,
            body: createBody(api.create, 'required'),
            response: addErrorReplies(createReply(created)),
          },
          preValidation: normalizeBody('create'),
        },
        (request) =>
          runOnce(request, {
            work: (scope) => resource.create(scope, request.body as Values),
            present: (result) => ({ error: 0, ...present(request.account, result, created) }),
          }),
      ),

    update: () =>
      app.put(
        `${api.path}/:id/update`,
        {
          config: writing,
          schema: {
            tags,
            summary: summaries.update,
            params: Params,
            body: createBody(api.update, 'optional'),
            response: addErrorReplies(createReply(updated)),
          },
          preValidation: normalizeBody(api.update.ignoresEmpty ? 'create' : 'update'),
        },
        async ({ scope, account, params, body }) => {
          const id = parsePathId(params.id)
          const result = await resource.update(scope, id, body as Values)
          // A splash page has a message of its own, which is not in this reply.
          const message = updated.includes('message') && { message: createMessage('updated') }
          return { error: 0, ...present(account, result, updated), ...message }
        },
      ),

    remove: () =>
      app.delete(
        `${api.path}/:id/delete`,
        {
          config: { access: { scope: 'links' } },
          schema: {
            tags,
            summary: summaries.remove,
            params: Params,
            response: addErrorReplies(createReply(['message'])),
          },
        },
        async ({ scope, params }) => {
          await resource.remove(scope, parsePathId(params.id))
          return { error: 0, message: createMessage('deleted') }
        },
      ),
  }

  /** Returns the schema of a body. `usual` is how it has a field that is not optional. */
  function createBody(
    { fields: presences, example, description }: typeof api.create,
    usual: Presence,
  ): TSchema {
    const listed = Object.entries(fields)
      .filter(([name]) => !presences || presences[name])
      .map(([name, { schema, isOptional }]) => {
        const presence = presences?.[name] ?? (isOptional ? 'clearable' : usual)
        return [name, PRESENCES[presence](schema)]
      })
    const options = { ...(description && { description }), examples: [example] }
    return Type.Object(Object.fromEntries(listed) as TProperties, options)
  }

  function createReply(names: readonly string[]): TSchema {
    return Type.Object({ error: Type.Literal(0), ...select(names) })
  }

  /** Returns the schemas of a reply's properties. */
  function select(names: readonly string[]): TProperties {
    const schemas: Record<string, TSchema | undefined> = {
      id: Id,
      date: Timestamp,
      message: Type.String(),
      ...Object.fromEntries(Object.entries(fields).map(([name, { reply }]) => [name, reply])),
      ...api.properties,
    }
    return pick(schemas, names) as TProperties
  }

  /** Returns the values of a reply's properties. */
  function present(
    { username }: Account,
    stored: Stored,
    names: readonly string[],
  ): Record<string, unknown> {
    const { id, createdAt, ...columns } = stored
    const values: Record<string, unknown> = {
      id,
      date: formatTimestamp(createdAt),
      ...Object.fromEntries(
        Object.entries(columns).map(([name, value]) => [name, fields[name]?.present(value)]),
      ),
      ...api.present?.(stored, { baseUrl: config.baseUrl, username }),
    }
    return pick(values, names)
  }

  function createMessage(change: 'updated' | 'deleted'): string {
    return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} has been ${change} successfully.`
  }
}

function pick<Value>(values: Readonly<Record<string, Value>>, names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}
