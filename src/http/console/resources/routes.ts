import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, renameField } from '../../../errors.ts'
import { toAppError } from '../../errors.ts'
import { pageRoute } from '../../html/page-route.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { parsePathId } from '../shell/path-id.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { previewPolicy, previewRoute, sendPreview } from '../shell/send-preview.ts'
import { setToast } from '../shell/toast.ts'
import { deletionRoutes } from './deletion.ts'
import { renderResourceFormPage } from './form.ts'
import type { FormField } from './form-field.ts'
import { listRoute } from './list.ts'
import type { Resource, Rows, Typed, Values } from './resource.ts'
import { arrangeRows, readArrangement, readRows } from './rows.ts'

type ResourceRequest = FastifyRequest<{ Params: { id: string } }>
type PageState<Entry> = Typed & {
  entry?: Entry
  errors?: Values
  focus?: { name: string; index: number }
}

/** Allows the API's maximum body size with every character escaped. */
const formRoute = { schema: { hide: true }, bodyLimit: 3 * 256 * 1024 }

/** Registers the routes of one kind of resource: list, create, edit and delete. */
export function resourceRoutes<Entry extends { id: number }>(
  app: FastifyInstance,
  resource: Resource<Entry>,
): void {
  const { section } = resource.words
  const path = section.slice('/console'.length)

  listRoute(app, resource)
  deletionRoutes(app, resource)
  resourcePreviewRoutes(app, resource)

  app.route({
    ...pageRoute,
    url: `${path}/new`,
    handler: async (_request, reply) => sendForm(reply, createEmptyForm(resource)),
  })

  app.post(path, formRoute, async (request, reply) =>
    save(reply, readInputValues(request, resource.fields.make), async ({ values, rows, files }) => {
      const { id } = await resource.add(request.session.account.id, values, rows, files)
      return id
    }),
  )

  app.route({
    ...pageRoute,
    url: `${path}/:id/edit`,
    handler: async (request: ResourceRequest, reply) => {
      const entry = await getEntry(resource, request)
      return sendForm(reply, { entry, ...readStoredValues(resource, entry) })
    },
  })

  app.post(`${path}/:id`, formRoute, async (request: ResourceRequest, reply) => {
    const entry = await getEntry(resource, request)
    const form = { entry, ...readInputValues(request, resource.fields.change) }
    return save(reply, form, async ({ values, rows, files }) => {
      await resource.update(request.session.account.id, entry.id, values, rows, files)
      return entry.id
    })
  })

  /** Stores a submitted form, or shows it again with an error or with reordered rows. */
  async function save(
    reply: FastifyReply,
    form: Typed & { entry?: Entry },
    store: (input: Typed) => Promise<number>,
  ): Promise<FastifyReply> {
    const arranged = arrange(form.rows, reply.request.body)
    if (arranged) return sendForm(reply, { ...form, ...arranged })
    try {
      const id = await store(form)
      setToast(reply, form.entry ? 'saved' : 'created')
      return reply.redirect(resource.hasDetailsPage ? `${section}/${id}` : section, 303)
    } catch (error) {
      const rejection = toAppError(error, reply.log)
      if (rejection.status >= 500) throw rejection
      const at = findErrorField(
        rejection,
        form.entry ? resource.fields.change : resource.fields.make,
      )
      const errors = { [at]: describeFormError(at, rejection) }
      return sendForm(reply, { ...form, errors }, at === 'form' ? rejection.status : 422)
    }
  }

  /** Returns the form field of an error, or `form`. */
  function findErrorField({ field, code }: AppError, shown: readonly FormField[]): string {
    const taken = { alias_taken: 'alias', slug_taken: 'slug', domain_taken: 'domain' }
    const given = field ?? taken[code as keyof typeof taken]
    if (given === undefined) return 'form'
    const [name = '', index, column] = renameField(resource.fieldNames ?? {}, given).split(
      /[.[\]]+/,
    )
    const at = shown.find((each) => each.name === name)
    if (!at) return 'form'
    return at.type === 'rows' && column ? `${name}-${index}-${column}` : name
  }

  function sendForm(reply: FastifyReply, shown: PageState<Entry>, status = 200) {
    const { entry } = shown
    const { words, fields } = resource
    const before = entry && { id: entry.id, name: resource.nameOf(entry) }
    const all = entry ? fields.change : fields.make
    const previewNote = resource.preview?.note
    const { noteOf } = resource
    const values = { ...shown.values, ...listImages(resource, entry) }
    const noteOfRow = entry && noteOf && ((row: readonly string[]) => noteOf(entry, row))
    return sendConsolePage(
      reply,
      (frame) =>
        renderResourceFormPage(frame, {
          words,
          fields: all,
          before,
          previewNote,
          ...shown,
          values,
          noteOfRow,
        }),
      { status, ...(resource.preview && { policy: previewPolicy }) },
    )
  }
}

/** Registers the routes of the preview: of the stored resource, and of the values being typed. */
function resourcePreviewRoutes<Entry extends { id: number }>(
  app: FastifyInstance,
  resource: Resource<Entry>,
): void {
  const { preview } = resource
  if (!preview) return
  const path = resource.words.section.slice('/console'.length)
  const shown = previewRoute((field) => {
    const [name = '', index] = field.split(/[.[\]]+/)
    const at = resource.fields.make.find((each) => each.name === name)
    return at?.type === 'rows' && index ? at.texts.one(Number(index) + 1) : at?.label
  })

  app.route({
    ...pageRoute,
    ...shown,
    url: `${path}/preview`,
    handler: async ({ session }, reply) =>
      sendPreview(
        reply,
        await preview.read(createEmptyForm(resource), { accountId: session.account.id }),
      ),
  })

  app.route({
    ...pageRoute,
    ...shown,
    url: `${path}/:id/preview`,
    handler: async (request: ResourceRequest, reply) => {
      const entry = await getEntry(resource, request)
      const stored = { accountId: request.session.account.id, entry }
      return sendPreview(reply, await preview.read(readStoredValues(resource, entry), stored))
    },
  })

  app.post(`${path}/preview`, shown, async (request, reply) => {
    const stored = { accountId: request.session.account.id }
    return sendPreview(
      reply,
      await preview.read(readInputValues(request, resource.fields.make), stored),
    )
  })

  app.post(`${path}/:id/preview`, shown, async (request: ResourceRequest, reply) => {
    const entry = await getEntry(resource, request)
    const stored = { accountId: request.session.account.id, entry }
    return sendPreview(
      reply,
      await preview.read(readInputValues(request, resource.fields.make), stored),
    )
  })
}

function getEntry<Entry extends { id: number }>(
  resource: Pick<Resource<Entry>, 'get'>,
  { session, params }: ResourceRequest,
): Promise<Entry> {
  return resource.get(session.account.id, parsePathId(params.id))
}

function readStoredValues<Entry extends { id: number }>(
  resource: Resource<Entry>,
  entry: Entry,
): Typed {
  return { values: resource.valuesOf(entry), rows: resource.rowsOf?.(entry) ?? {}, files: {} }
}

function createEmptyForm({ initial = {} }: { initial?: Values }): Typed {
  return { values: initial, rows: {}, files: {} }
}

/** Returns the URLs of the stored images, which a submitted form does not contain. */
function listImages<Entry extends { id: number }>(
  { fields, valuesOf }: Resource<Entry>,
  entry: Entry | undefined,
): Values {
  if (!entry) return {}
  const stored = valuesOf(entry)
  const images = fields.change.filter(({ type }) => type === 'image')
  return Object.fromEntries(images.map(({ name }) => [name, stored[name] ?? '']))
}

/** Returns the submitted form values. */
function readInputValues({ body }: FastifyRequest, fields: readonly FormField[]): Typed {
  const given = (body ?? {}) as Record<string, unknown>
  const lists = fields.filter((field) => field.type === 'rows')
  const images = fields.filter((field) => field.type === 'image')
  const texts = fields.filter(({ type }) => type !== 'rows' && type !== 'image')
  return {
    values: readFields(
      given,
      texts.map(({ name }) => name),
    ),
    rows: Object.fromEntries(lists.map((field) => [field.name, readRows(given, field)])),
    files: Object.fromEntries(images.map(({ name }) => [name, readUpload(given, name)])),
  }
}

/** Browsers send an empty file for a field without one. */
function readUpload(given: Record<string, unknown>, name: string): Buffer | null | undefined {
  const file = given[name]
  if (Buffer.isBuffer(file) && file.length > 0) return file
  return given[`remove-${name}`] === 'on' ? null : undefined
}

/** Returns the reordered lists if a button for that was pressed. */
function arrange(
  before: Rows,
  body: unknown,
): Pick<PageState<never>, 'rows' | 'focus'> | undefined {
  const arrangement = readArrangement((body ?? {}) as Record<string, unknown>)
  const list = arrangement && before[arrangement.name]
  if (!arrangement || !list) return undefined
  const after = arrangeRows(list, arrangement)
  const last = after.length
  const indexes = {
    up: arrangement.index - 1,
    down: arrangement.index + 1,
    remove: arrangement.index,
    add: last,
  }
  const index = Math.min(Math.max(indexes[arrangement.move], 0), last)
  return {
    rows: { ...before, [arrangement.name]: after },
    focus: { name: arrangement.name, index },
  }
}
