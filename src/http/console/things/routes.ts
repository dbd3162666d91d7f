import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, renameField } from '../../../errors.ts'
import { thingDeletionPage } from '../../../pages/console/things/deletion.ts'
import { thingFormPage } from '../../../pages/console/things/form.ts'
import { thingListPage } from '../../../pages/console/things/list.ts'
import { toAppError } from '../../errors.ts'
import { pageRoute } from '../../html/page-route.ts'
import { pathId } from '../path-id.ts'
import { faultText, fieldsOf, sendConsole } from '../send.ts'
import type { Thing, Values } from './thing.ts'

type ListRequest = FastifyRequest<{ Querystring: { page?: unknown } }>
type ThingRequest = FastifyRequest<{ Params: { id: string } }>

const PER_PAGE = 25
const hidden = { schema: { hide: true } }

/** The pages of one kind of thing: all of them, a new one, a change, a deletion. */
export function thingRoutes<Entry extends { id: number }>(
  app: FastifyInstance,
  thing: Thing<Entry>,
): void {
  const { words, fields } = thing
  const path = words.place.slice('/console'.length)

  app.route({
    ...pageRoute,
    url: path,
    handler: async (request: ListRequest, reply) => {
      const page = pageOf(request.query.page)
      const query = { limit: PER_PAGE, offset: (page - 1) * PER_PAGE }
      const { entries, total } = await thing.list(request.session.account.id, query)
      const rows = entries.map((entry) => ({
        id: entry.id,
        name: thing.nameOf(entry),
        cells: thing.cellsOf(entry),
      }))
      return sendConsole(reply, (frame) =>
        thingListPage(frame, {
          words,
          columns: thing.columns,
          rows,
          total,
          page,
          limit: PER_PAGE,
          hrefOf: (other) => (other === 1 ? words.place : `${words.place}?page=${other}`),
          opens: thing.opens ?? false,
        }),
      )
    },
  })

  app.route({
    ...pageRoute,
    url: `${path}/new`,
    handler: async (_request, reply) => sendForm(reply, { values: thing.initial ?? {} }),
  })

  app.post(path, hidden, async (request, reply) => {
    const values = valuesIn(request, fields.make)
    return saved(reply, { values }, async () => {
      const { id } = await thing.add(request.session.account.id, values)
      return thing.opens ? `${words.place}/${id}` : words.place
    })
  })

  app.route({
    ...pageRoute,
    url: `${path}/:id/edit`,
    handler: async (request: ThingRequest, reply) => {
      const entry = await entryOf(request)
      return sendForm(reply, { entry, values: thing.valuesOf(entry) })
    },
  })

  app.post(`${path}/:id`, hidden, async (request: ThingRequest, reply) => {
    const values = valuesIn(request, fields.change)
    const entry = await entryOf(request)
    return saved(reply, { entry, values }, async () => {
      await thing.update(request.session.account.id, entry.id, values)
      return thing.opens ? `${words.place}/${entry.id}` : words.place
    })
  })

  app.route({
    ...pageRoute,
    url: `${path}/:id/delete`,
    handler: async (request: ThingRequest, reply) => sendDeletion(reply, await entryOf(request)),
  })

  app.post(`${path}/:id/delete`, hidden, async (request: ThingRequest, reply) => {
    const entry = await entryOf(request)
    try {
      await thing.remove(request.session.account.id, entry.id)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.status >= 500) throw rejection
      return sendDeletion(reply, entry, rejection)
    }
    return reply.redirect(words.place, 303)
  })

  function entryOf({ session, params }: ThingRequest): Promise<Entry> {
    return thing.get(session.account.id, pathId(params.id))
  }

  /** Goes where `work` says, or shows the form again with what is wrong. */
  async function saved(
    reply: FastifyReply,
    form: { entry?: Entry; values: Values },
    work: () => Promise<string>,
  ) {
    try {
      return reply.redirect(await work(), 303)
    } catch (error) {
      const rejection = toAppError(error, reply.log)
      if (rejection.status >= 500) throw rejection
      const names = (form.entry ? fields.change : fields.make).map(({ name }) => name)
      const place = placeOf(rejection, names)
      const errors = { [place]: faultText(rejection) }
      return sendForm(reply, { ...form, errors }, place === 'form' ? rejection.status : 422)
    }
  }

  /** The field of the form that an error belongs to, or the form as a whole. */
  function placeOf({ field, code }: AppError, names: readonly string[]): string {
    const taken = { alias_taken: 'alias', slug_taken: 'slug', domain_taken: 'domain' }
    const given = field ?? taken[code as keyof typeof taken]
    if (given === undefined) return 'form'
    const [name = ''] = renameField(thing.fieldNames ?? {}, given).split(/[.[]/)
    return names.includes(name) ? name : 'form'
  }

  function sendForm(
    reply: FastifyReply,
    { entry, values, errors = {} }: { entry?: Entry; values: Values; errors?: Values },
    status = 200,
  ) {
    const before = entry && { id: entry.id, name: thing.nameOf(entry) }
    const shown = { words, fields: entry ? fields.change : fields.make, values, before, errors }
    const beside = thing.beside?.(values) ?? {}
    return sendConsole(reply, (frame) => thingFormPage(frame, { ...shown, ...beside }), { status })
  }

  function sendDeletion(reply: FastifyReply, entry: Entry, rejection?: AppError) {
    const shown = { words, thing: { id: entry.id, name: thing.nameOf(entry) } }
    const error = rejection && { error: faultText(rejection) }
    return sendConsole(reply, (frame) => thingDeletionPage(frame, { ...shown, ...error }), {
      status: rejection?.status ?? 200,
    })
  }
}

function valuesIn({ body }: FastifyRequest, fields: readonly { name: string }[]): Values {
  return fieldsOf(
    body,
    fields.map(({ name }) => name),
  )
}

function pageOf(value: unknown): number {
  return typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 1
}
