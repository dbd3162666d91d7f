import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, renameField } from '../../../errors.ts'
import { t } from '../../../texts.ts'
import { toAppError } from '../../errors.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { previewPolicy, registerPreview } from '../kit/preview.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { type ConsoleRequest, idOf } from '../kit/subject.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { registerDeletionRoutes } from './deletion.ts'
import { renderResourceFormPage } from './form.ts'
import type { FormField } from './form-field.ts'
import { registerListRoute } from './list.ts'
import type { FormInput, Resource, Rows, Values } from './resource.ts'
import { arrangeRows, readArrangement, readRows } from './rows.ts'

type ResourceRequest = FastifyRequest<{ Params: { id: string } }>
type FormState<Entry> = FormInput & {
  /** The resource being edited. */
  entry?: Entry
  /** Errors by the name of the field or the id of an input in a list, or `form`. */
  errors?: Values
  /** The list and the index of the row to focus. */
  focus?: { name: string; index: number }
}

/** The API's maximum body size, tripled because forms can escape each byte as `%xx`. */
const formRoute = { ...formFor('editor'), bodyLimit: 3 * 256 * 1024 }

/** Registers the routes of one kind of resource: list, create, edit, delete and preview. */
export function registerResourceRoutes<Entry extends { id: number }>(
  app: FastifyInstance,
  resource: Resource<Entry>,
): void {
  const { section } = resource.words
  const path = section.slice('/console'.length)

  registerListRoute(app, resource)
  registerDeletionRoutes(app, resource)
  registerResourcePreviewRoutes(app, resource)

  app.route({
    ...pageFor('editor'),
    url: `${path}/new`,
    handler: async (_request, reply) => sendForm(reply, createInitialInput(resource)),
  })

  app.post(path, formRoute, async (request, reply) =>
    save(reply, readFormInput(request, resource.fields.create), async ({ values, rows, files }) => {
      const { id } = await resource.add(request.session.account.id, values, rows, files)
      return id
    }),
  )

  app.route({
    ...pageFor('editor'),
    url: `${path}/:id/edit`,
    handler: async (request: ResourceRequest, reply) => {
      const entry = await getEntry(resource, request)
      return sendForm(reply, { entry, ...readStoredInput(resource, entry) })
    },
  })

  app.post(`${path}/:id`, formRoute, async (request: ResourceRequest, reply) => {
    const entry = await getEntry(resource, request)
    const form = { entry, ...readFormInput(request, resource.fields.edit) }
    return save(reply, form, async ({ values, rows, files }) => {
      await resource.update(request.session.account.id, entry.id, values, rows, files)
      return entry.id
    })
  })

  /**
   * Stores a submitted form, or shows it again: with the changed rows after a button of a list, or
   * with the error.
   */
  async function save(
    reply: FastifyReply,
    form: FormInput & { entry?: Entry },
    store: (input: FormInput) => Promise<number>,
  ): Promise<FastifyReply> {
    const arranged = arrange(form.rows, reply.request.body)
    if (arranged) return sendForm(reply, { ...form, ...arranged })
    try {
      const id = await store(form)
      setToast(reply, form.entry ? 'saved' : 'created')
      return reply.redirect(resource.hasDetailsPage ? `${section}/${id}` : section, 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.status >= 500) throw rejection
      const fields = form.entry ? resource.fields.edit : resource.fields.create
      const errorKey = findErrorField(rejection, fields)
      const errors = { [errorKey]: describeFormError(errorKey, rejection) }
      return sendForm(reply, { ...form, errors }, errorKey === 'form' ? rejection.status : 422)
    }
  }

  /**
   * Returns the name of the form field with the error, the id of the input if it is in a list, or
   * `form` for other errors.
   */
  function findErrorField({ field, code }: AppError, fields: readonly FormField[]): string {
    const fieldsByCode = { alias_taken: 'alias', slug_taken: 'slug', domain_taken: 'domain' }
    const errorField = field ?? fieldsByCode[code as keyof typeof fieldsByCode]
    if (errorField === undefined) return 'form'
    const path = renameField(resource.fieldNames ?? {}, errorField)
    // Such as `title`, or `links[0].url` in a list.
    const [name = '', index, column] = path.split(/[.[\]]+/)
    const formField = fields.find((each) => each.name === name)
    if (!formField) return 'form'
    return formField.type === 'rows' && column ? `${name}-${index}-${column}` : name
  }

  function sendForm(reply: FastifyReply, state: FormState<Entry>, status = 200) {
    const { entry } = state
    const { words, fields, preview, noteOf } = resource
    const form = {
      ...state,
      words,
      fields: entry ? fields.edit : fields.create,
      values: { ...state.values, ...readStoredImages(resource, entry) },
      before: entry && { id: entry.id, name: resource.nameOf(entry) },
      previewNote: preview?.note,
      noteOfRow: entry && noteOf && ((row: readonly string[]) => noteOf(entry, row)),
    }
    return sendConsolePage(reply, (frame) => renderResourceFormPage(frame, form), {
      status,
      ...(preview && { policy: previewPolicy }),
    })
  }
}

/**
 * Registers the routes that preview a resource: from the initial or stored values when the form
 * opens, and from the current values while the user edits them.
 */
function registerResourcePreviewRoutes<Entry extends { id: number }>(
  app: FastifyInstance,
  resource: Resource<Entry>,
): void {
  const { preview } = resource
  if (!preview) return
  const readPreview = preview.read
  const path = resource.words.section.slice('/console'.length)
  const findLabel = (errorField: string) => {
    const [name = '', index] = errorField.split(/[.[\]]+/)
    const field = resource.fields.create.find((each) => each.name === name)
    return field?.type === 'rows' && index
      ? t(`${field.texts}.row`, { ordinal: Number(index) + 1 })
      : field?.label
  }

  const draw = async (request: ConsoleRequest, entry?: Entry) => {
    const stored = entry ? readStoredInput(resource, entry) : createInitialInput(resource)
    const input =
      request.method === 'POST' ? readFormInput(request, resource.fields.create) : stored
    return readPreview(input, { accountId: request.session.account.id, ...(entry && { entry }) })
  }

  registerPreview(app, `${path}/preview`, (request) => draw(request), findLabel)
  registerPreview(
    app,
    `${path}/:id/preview`,
    async (request) => draw(request, await resource.get(request.session.account.id, idOf(request))),
    findLabel,
  )
}

function getEntry<Entry extends { id: number }>(
  resource: Pick<Resource<Entry>, 'get'>,
  { session, params }: ResourceRequest,
): Promise<Entry> {
  return resource.get(session.account.id, parsePathId(params.id))
}

function readStoredInput<Entry extends { id: number }>(
  resource: Resource<Entry>,
  entry: Entry,
): FormInput {
  return { values: resource.valuesOf(entry), rows: resource.rowsOf?.(entry) ?? {}, files: {} }
}

function createInitialInput({ initial = {} }: { initial?: Values }): FormInput {
  return { values: initial, rows: {}, files: {} }
}

/** Returns the URLs of the stored images, because submitted forms do not contain them. */
function readStoredImages<Entry extends { id: number }>(
  { fields, valuesOf }: Resource<Entry>,
  entry: Entry | undefined,
): Values {
  if (!entry) return {}
  const storedValues = valuesOf(entry)
  const images = fields.edit.filter(({ type }) => type === 'image')
  return Object.fromEntries(images.map(({ name }) => [name, storedValues[name] ?? '']))
}

/** Returns the values, lists and uploads of a submitted form. */
function readFormInput({ body }: FastifyRequest, fields: readonly FormField[]): FormInput {
  const submitted = (body ?? {}) as Record<string, unknown>
  const lists = fields.filter((field) => field.type === 'rows')
  const images = fields.filter((field) => field.type === 'image')
  const texts = fields.filter(({ type }) => type !== 'rows' && type !== 'image')
  return {
    values: readFields(
      submitted,
      texts.map(({ name }) => name),
    ),
    rows: Object.fromEntries(lists.map((field) => [field.name, readRows(submitted, field)])),
    files: Object.fromEntries(images.map(({ name }) => [name, readUpload(submitted, name)])),
  }
}

/**
 * Returns an uploaded file, null if the stored one is to be removed, or undefined. Browsers send an
 * empty file if none is selected.
 */
function readUpload(submitted: Record<string, unknown>, name: string): Buffer | null | undefined {
  const file = submitted[name]
  if (Buffer.isBuffer(file) && file.length > 0) return file
  return submitted[`remove-${name}`] === 'on' ? null : undefined
}

/** Returns the changed lists and the row to focus if a button of a list was pressed. */
function arrange(lists: Rows, body: unknown): Pick<FormState<never>, 'rows' | 'focus'> | undefined {
  const arrangement = readArrangement((body ?? {}) as Record<string, unknown>)
  const rows = arrangement && lists[arrangement.name]
  if (!arrangement || !rows) return undefined
  const { name, index, move } = arrangement
  const newRows = arrangeRows(rows, arrangement)
  // The form shows an empty row after the last one.
  const emptyIndex = newRows.length
  const focusByMove = { up: index - 1, down: index + 1, remove: index, add: emptyIndex }
  const focusIndex = Math.min(Math.max(focusByMove[move], 0), emptyIndex)
  return {
    rows: { ...lists, [name]: newRows },
    focus: { name, index: focusIndex },
  }
}
