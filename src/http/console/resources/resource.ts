import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { type TextKey, t } from '../../../texts.ts'
import type { Form, FormState, FormValues, Specs, Stored } from '../kit/form.ts'
import { renderUntitledPanel } from '../kit/parts.ts'
import {
  PREVIEWED_FORM,
  type Preview,
  previewPolicy,
  registerPreview,
  renderPreviewPanel,
} from '../kit/preview.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import {
  type ConsoleScope,
  type ListedResource,
  registerListedResource,
  renderCancelLink,
} from './list.ts'

/** Draws submitted, stored or initial values. `entry` is the resource that is being edited. */
type DrawPreview<Entry, S extends Specs> = (
  values: FormValues<S>,
  context: { scope: ConsoleScope; body: unknown; entry: Entry | undefined },
) => Preview | Promise<Preview>

/** A kind of resource that a form creates and edits. `body` is the submitted form, with its files. */
export type Resource<
  Entry extends { id: number },
  S extends Specs,
  E extends Specs = S,
> = ListedResource<Entry> & {
  form: Form<S>
  /** The form for editing, if it has other fields. */
  editForm?: Form<E>
  /** The initial values of the form for creating. */
  initial?: Partial<FormValues<S>>
  /** Returns what the form shows of a resource. */
  valuesOf: (entry: Entry) => Stored<NoInfer<E>>
  /** Renders what is above the form of a resource, such as its URL. */
  renderIntro?: (entry: Entry) => SafeHtml
  /** Returns a note about a row of a list in the form, such as the clicks of a link. */
  noteOfRow?: (entry: Entry, row: readonly string[]) => string | undefined
  /** The preview of what visitors see. */
  preview?: {
    /** A sentence about the preview. */
    note: TextKey
    draw: DrawPreview<Entry, S>
  }
  add: (scope: ConsoleScope, values: FormValues<S>, body: unknown) => Promise<{ id: number }>
  update: (
    scope: ConsoleScope,
    id: number,
    values: FormValues<NoInfer<E>>,
    body: unknown,
  ) => Promise<unknown>
}

/** Registers one kind of resource: its list, its forms, their preview, and the deletion. */
export function registerResource<
  Entry extends { id: number },
  S extends Specs,
  E extends Specs = S,
>(app: FastifyInstance, resource: Resource<Entry, S, E>): void {
  const { section, form, initial = {} as Partial<FormValues<S>>, preview, noteOfRow } = resource
  // Without a form of its own, editing has the fields of the form for creating.
  const editForm = (resource.editForm ?? form) as Form<E>
  const { page, submit } = defineSubject(app, section)
  const url = section.slice('/console'.length)
  registerListedResource(app, resource)

  page(`${url}/new`, 'editor', async () => renderForm(form, { values: initial }))
  submit(
    url,
    'editor',
    form,
    async ({ scope, body }, values) => {
      const { id } = await resource.add(scope, values, body)
      return { to: getPath(id), toast: 'created' }
    },
    async (_request, state) => renderForm(form, state),
  )

  page(`${url}/:id/edit`, 'editor', (request) => renderEditForm(request))
  submit(
    `${url}/:id`,
    'editor',
    editForm,
    async (request, values) => {
      const { id } = await find(request)
      await resource.update(request.scope, id, values, request.body)
      return { to: getPath(id), toast: 'saved' }
    },
    renderEditForm,
  )

  if (preview) {
    const draw = (request: ConsoleRequest) => drawPreview(request, preview.draw)
    registerPreview(app, `${url}/preview`, draw, form.findLabel)
    registerPreview(app, `${url}/:id/preview`, draw, form.findLabel)
  }

  async function drawPreview(
    request: ConsoleRequest,
    draw: DrawPreview<Entry, S>,
  ): Promise<Preview> {
    const { scope, params, method, body } = request
    const entry = params.id === undefined ? undefined : await find(request)
    // A kind with a preview has one form.
    const stored = entry ? (fill(entry) as FormValues<Specs>) : initial
    const values = { ...form.read(body), ...(method !== 'POST' && stored) } as FormValues<S>
    return draw(values, { scope, body, entry })
  }

  async function renderEditForm(request: ConsoleRequest, state: FormState<E> = {}): Promise<Page> {
    const entry = await find(request)
    // The URLs of stored images are not in submitted forms.
    return renderForm(editForm, { ...state, values: { ...fill(entry), ...state.values } }, entry)
  }

  function fill(entry: Entry): FormValues<E> {
    return editForm.fill(resource.valuesOf(entry))
  }

  function find(request: ConsoleRequest): Promise<Entry> {
    return resource.get(request.scope, idOf(request))
  }

  function getPath(id: number): string {
    if (resource.hasDetailsPage) return `${section}/${id}`
    // A form with a preview is where people keep working.
    return preview ? `${section}/${id}/edit` : section
  }

  /** Renders the form that creates a resource, or edits `entry`. */
  function renderForm<F extends Specs>(form: Form<F>, state: FormState<F>, entry?: Entry): Page {
    const words = resource.words()
    const title = entry ? t('resource.editNamed', { name: resource.nameOf(entry) }) : words.new
    const action = entry ? `${section}/${entry.id}` : section
    return {
      title,
      ...(preview && { policy: previewPolicy }),
      body: (frame) => html`<p class="eyebrow"><a href="${section}">${words.many}</a></p>
<h1><bdi>${title}</bdi></h1>
${entry && resource.renderIntro?.(entry)}
<div class="${preview ? 'beside' : ''}">
${renderUntitledPanel(title, [
  form.renderError(state),
  form.render(frame, state, {
    action,
    button: t('resource.save'),
    more: renderCancelLink(section),
    autofocus: !entry,
    id: PREVIEWED_FORM,
    noteOfRow: entry && noteOfRow && ((row) => noteOfRow(entry, row)),
  }),
])}
${preview ? renderPreviewPanel(action, t(preview.note)) : null}
</div>`,
    }
  }
}
