import { createHash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { addScheme } from '../../../destination-url.ts'
import type { AppError } from '../../../errors.ts'
import { createLinks } from '../../../links/create-links.ts'
import { getLinkWithParts, prepareLinks, updateLink } from '../../../links/link.service.ts'
import { fetchPageDetails } from '../../../links/page-details.ts'
import { MAX_SHARE_IMAGE_BYTES } from '../../../links/share-images/read-image.ts'
import {
  prepareShareImage,
  type ShareImage,
  storeShareImage,
} from '../../../links/share-images/share-image.service.ts'
import { t } from '../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { parseForms } from '../../request/multipart.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { createActingContext } from '../shell/acting.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { registerAssistRoutes } from './assist-routes.ts'
import { loadLinkChoices } from './choices.ts'
import { EMPTY_LINK_FORM, type FilledForm, getInputText, type LinkForm } from './form.ts'
import { ROW_LISTS } from './form-fields.ts'
import {
  findChanges,
  findErrorInput,
  readLinkForm,
  toLinkForm,
  toLinkInput,
} from './form-values.ts'
import { changeMemberships, checkMemberships, readMemberships } from './memberships.ts'
import { renderLinkEditorPage } from './page.ts'
import { changeRules } from './rules/actions.ts'
import { isEmptyRule } from './rules/form.ts'
import { changeTemplates } from './utm/actions.ts'

type NewRequest = FastifyRequest<{ Querystring: { url?: unknown; from?: unknown } }>
type EditRequest = FastifyRequest<{ Params: { id: string } }>
type EditedLink = Awaited<ReturnType<typeof getLinkWithParts>>
type EditorState = { form: LinkForm; link?: EditedLink; isCarriedOver?: boolean } & Pick<
  FilledForm,
  'fieldError' | 'more' | 'focus' | 'fetched' | 'template' | 'templateId' | 'templateName'
>

/** Allows the API's maximum body size with every character escaped. */
const formRoute = { ...formFor('editor'), bodyLimit: 3 * 256 * 1024 }

/** Also allows an image. Slightly too large images get an error at their field. */
const BODY_LIMIT = 3 * 256 * 1024 + 2 * MAX_SHARE_IMAGE_BYTES

/** A link may have hundreds of rules and rows, each with several inputs. */
const MAX_PARTS = 4000

/** Registers the routes of the form for creating and editing links. */
export function createLinkEditorRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT, { repeatsAsLists: true, parts: MAX_PARTS })
    registerEditorRoutes(app, ctx)
  }
}

function registerEditorRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx

  app.route({
    ...pageFor('editor'),
    url: '/links/new',
    handler: async ({ query, session }: NewRequest, reply) => {
      const { url, from } = readFields(query, ['url', 'from'])
      const form =
        from === ''
          ? { ...EMPTY_LINK_FORM, texts: { url } }
          : await createCopy(session.account.id, from)
      return sendEditor(reply, { form })
    },
  })

  app.post('/links/new', formRoute, async (request, reply) =>
    save(reply, undefined, async (input, upload) => {
      const { id } = await createOnce(request, input, upload)
      return id
    }),
  )

  app.route({
    ...pageFor('editor'),
    url: '/links/:id/edit',
    handler: async (request: EditRequest, reply) => {
      const link = await getRequestedLink(request)
      const memberships = await readMemberships(ctx.db, link.accountId, link.id)
      return sendEditor(reply, { form: { ...toLinkForm(link), ...memberships }, link })
    },
  })

  app.post('/links/:id/edit', formRoute, async (request: EditRequest, reply) => {
    const link = await getRequestedLink(request)
    return save(reply, link, async (input, upload) => {
      const { accountId, id } = link
      await checkMemberships(ctx.db, accountId, input)
      const image = { upload, url: getInputText(input, 'metaImage') }
      await storeShareImage(ctx.db, accountId, id, image)
      const changes = findChanges(input, toLinkForm(link))
      await updateLink(createActingContext(ctx, request), ctx.db, accountId, id, changes)
      const before = await readMemberships(ctx.db, accountId, id)
      await changeMemberships(ctx.db, accountId, id, { selected: input, previous: before })
      return id
    })
  })

  registerAssistRoutes(app, ctx)

  /** Returns the form of a copy of a link, without its alias and password. */
  async function createCopy(accountId: number, from: string): Promise<LinkForm> {
    const link = await getLinkWithParts(ctx, ctx.db, accountId, parsePathId(from))
    const memberships = await readMemberships(ctx.db, accountId, link.id)
    const { texts, ...form } = toLinkForm(link)
    return { ...form, ...memberships, texts: { ...texts, alias: '' } }
  }

  function getRequestedLink({ params, session }: EditRequest): Promise<EditedLink> {
    return getLinkWithParts(ctx, ctx.db, session.account.id, parsePathId(params.id))
  }

  /** Creates a link once per rendered form, however often it is submitted. */
  async function createOnce(request: FastifyRequest, form: LinkForm, upload?: ShareImage) {
    const { account } = request.session
    const input = toLinkInput(form)
    const { once } = readFields(request.body, ['once'])
    const { campaigns, channels } = form
    const fingerprint = JSON.stringify([once, input, campaigns, channels])
    const key = `form ${createHash('sha256').update(fingerprint).digest('base64url')}`
    return ctx.idempotency.run(
      { accountId: account.id, key, request: fingerprint },
      async () => {
        await checkMemberships(ctx.db, account.id, form)
        return prepareLinks(ctx, ctx.db, account.id, [input])
      },
      async (tx, prepared) => {
        const [result] = await createLinks(
          createActingContext(ctx, request),
          tx,
          account.id,
          prepared,
        )
        if (result?.status !== 'fulfilled') throw result?.reason
        const { id } = result.value
        await storeShareImage(tx, account.id, id, { upload, url: input.metaImage })
        await changeMemberships(tx, account.id, id, { selected: form, previous: NO_GROUPS })
        return { id }
      },
    )
  }

  /** Stores the form, or shows it again: with its error, with more rows, or with all options. */
  async function save(
    reply: FastifyReply,
    link: EditedLink | undefined,
    store: (input: LinkForm, upload?: ShareImage) => Promise<number>,
  ): Promise<FastifyReply> {
    const { body } = reply.request
    const given = readLinkForm(body)
    const own = link && { link }
    const { more } = readFields(body, ['more'])
    const zone = reply.request.session.user.timeZone
    const changed = changeRules(body as Record<string, unknown>, more, zone)
    if (changed) {
      const { rules, focus } = changed
      return sendEditor(reply, { form: { ...given, rules }, focus, more, ...own })
    }
    const templates = await changeTemplates(ctx, reply.request.session.account.id, given, body)
    if (templates) return sendEditor(reply, { ...templates, more, ...own })
    if (more === 'title')
      return sendEditor(reply, { ...(await fetchTitle(reply, given)), more, ...own })
    const form = { ...given, rules: given.rules.filter((rule) => !isEmptyRule(rule)) }
    const shown = { form, ...own }
    // The user switched from the short form on the overview, so its values are kept.
    if (more === 'options') return sendEditor(reply, { ...shown, isCarriedOver: true })
    const list = ROW_LISTS.find((name) => name === more)
    if (list) return sendEditor(reply, { ...shown, more: list })
    try {
      const upload = await readUpload(reply.request, form)
      const texts = { ...form.texts, ...(upload && { metaImage: upload.url }) }
      const id = await store({ ...form, texts }, upload)
      setToast(reply, link ? 'linkSaved' : 'created')
      return reply.redirect(`/console/links/${id}`, 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.code === 'internal' || rejection.code === 'not_found') throw rejection
      const field = findErrorInput(rejection, shown.form)
      const fieldError = { field, text: describeFormError(field, rejection) }
      return sendEditor(reply, { ...shown, fieldError }, field === 'form' ? rejection : undefined)
    }
  }

  /** Returns the uploaded image of the share card, if there is one. */
  async function readUpload({ body, session }: FastifyRequest, form: LinkForm) {
    const { metaImageFile: file } = (body ?? {}) as Record<string, unknown>
    // Browsers send an empty file for a field without one.
    if (!Buffer.isBuffer(file) || file.length === 0) return undefined
    const { id } = session.account
    const image = await ctx.readShareImage(id, file)
    return prepareShareImage(ctx, ctx.db, id, image, getInputText(form, 'domain') || null)
  }

  /** Fills in the title of the destination, and its description unless one was typed. */
  async function fetchTitle({ request }: FastifyReply, form: LinkForm) {
    const url = addScheme(getInputText(form, 'url'))
    try {
      const { title, description } = await fetchPageDetails(ctx, request.session.account.id, url)
      if (title === '') return { form, fetched: t('linkForm.noTitle') }
      const texts = {
        ...form.texts,
        url,
        metaTitle: title,
        metaDescription: getInputText(form, 'metaDescription') || description,
      }
      return { form: { ...form, texts }, fetched: t('linkForm.fetched'), focus: 'metaTitle' }
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.field === undefined) throw rejection
      return { form, fieldError: { field: 'url', text: describeError(rejection) } }
    }
  }

  async function sendEditor(reply: FastifyReply, shown: EditorState, rejection?: AppError) {
    const { account, user } = reply.request.session
    const { form, link, fieldError, more, isCarriedOver = false } = shown
    const isTyped =
      isCarriedOver && ['url', 'alias'].some((name) => getInputText(form, name) !== '')
    const choices = await loadLinkChoices(ctx, account.id, form)
    const editor = {
      ...shown,
      choices,
      hasPassword: link?.hasPassword ?? false,
      timeZone: user.timeZone,
      once: randomUUID(),
      isUnsaved: fieldError !== undefined || more !== undefined || isTyped,
      baseUrl: config.baseUrl,
    }
    return sendConsolePage(reply, (frame) => renderLinkEditorPage(frame, editor), {
      status: rejection?.status ?? (fieldError ? 422 : 200),
      headers: rejection ? createErrorHeaders(rejection) : {},
    })
  }
}

/** New links are not in any campaign or channel. */
const NO_GROUPS = { campaigns: [], channels: [] }
