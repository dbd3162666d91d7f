import { createHash, randomUUID } from 'node:crypto'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { checkAllAsync } from '../../../errors.ts'
import { createLinks } from '../../../links/create-links.ts'
import {
  getLinkWithParts,
  requireFreeAlias,
  updateLink,
  validateLink,
} from '../../../links/link.service.ts'
import type { LinkInput } from '../../../links/link.ts'
import { readNewLinks } from '../../../links/new-links.ts'
import {
  prepareShareImage,
  type ShareImage,
  storeShareImage,
} from '../../../links/share-images/share-image.service.ts'
import { MAX_SHARE_IMAGE_BYTES } from '../../../links/share-images/share-images.ts'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t, tHtml } from '../../../texts.ts'
import { addScheme } from '../../../urls/destination-url.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { parseForms } from '../../request/multipart.ts'
import { parsePathId } from '../../request/path-id.ts'
import { withScript } from '../assets.ts'
import { renderHidden } from '../kit/fields.ts'
import { renderDefaultButton } from '../kit/form.ts'
import { linkNameText } from '../kit/link-name.ts'
import { parseConsolePath } from '../kit/query.ts'
import { type ConsoleRequest, defineSubject, type Page, type Redirect } from '../kit/subject.ts'
import { describeFormErrors } from '../shell/describe-error.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { describeFinalUrl, fetchTitle, registerAssistRoutes } from './assist.ts'
import { changeMemberships, checkMemberships, loadLinkChoices, readMemberships } from './choices.ts'
import { type Editor, renderSummary } from './fields.ts'
import {
  checkLinkForm,
  EMPTY_LINK_FORM,
  findChanges,
  findErrorInput,
  LISTS,
  type LinkForm,
  readLinkForm,
  toLinkForm,
  toLinkInput,
} from './form.ts'
import { renderRuleTemplates } from './rule-fields.ts'
import { changeRules, isEmptyRule } from './rules.ts'
import { renderBookmarklet, renderEssentials, renderGroups, renderSideColumn } from './sections.ts'
import { changeTemplates } from './utm.ts'

type EditedLink = Awaited<ReturnType<typeof getLinkWithParts>>
/** What a request adds to the form's page. */
type Shown = Omit<Editor, 'choices' | 'finalUrl' | 'link' | 'timeZone'> & { isUnsaved?: boolean }

const PATH = '/console/links'
/**
 * Allows the API's maximum body size with every character escaped, and an image. Slightly too large
 * images get an error at their field.
 */
const BODY_LIMIT = 3 * 256 * 1024 + 2 * MAX_SHARE_IMAGE_BYTES
/** A link may have hundreds of rules and rows, each with several inputs. */
const MAX_PARTS = 4000
/** New links are not in any campaign or channel. */
const NO_GROUPS = { campaigns: [], channels: [] }

/** Creates the plugin with the form that creates and edits links. */
export function createLinkEditorRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT, { repeatsAsLists: true, parts: MAX_PARTS })
    registerEditorRoutes(app, ctx)
    registerAssistRoutes(app, ctx)
  }
}

function registerEditorRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, action } = defineSubject(app, PATH)

  for (const url of ['/links/new', '/links/:id/edit']) {
    page(url, 'editor', open)
    action(url, 'editor', save)
  }

  async function open(request: ConsoleRequest): Promise<Page> {
    const { url, from } = readFields(request.query, ['url', 'from'])
    const link = await findLink(request)
    if (link) return renderEditor(request, { form: await readStoredForm(link) }, link)
    if (from === '') return renderEditor(request, { form: { ...EMPTY_LINK_FORM, texts: { url } } })
    // A copy has neither the alias nor the password.
    const original = await getLinkWithParts(request.scope, parsePathId(from))
    const { texts, ...form } = await readStoredForm(original)
    return renderEditor(request, { form: { ...form, texts: { ...texts, alias: '' } } })
  }

  /** Returns the link in a path, or undefined for the form of a new link. */
  async function findLink({ scope, params }: ConsoleRequest): Promise<EditedLink | undefined> {
    if (params.id === undefined) return undefined
    return getLinkWithParts(scope, parsePathId(params.id))
  }

  async function readStoredForm(link: EditedLink): Promise<LinkForm> {
    const memberships = await readMemberships({ db: ctx.db, accountId: link.accountId }, link.id)
    return { ...toLinkForm(link), ...memberships }
  }

  /** Stores the form, or shows it again: with its error, or as a pressed button changes it. */
  async function save(request: ConsoleRequest): Promise<Page | Redirect> {
    const link = await findLink(request)
    const given = readLinkForm(request.body)
    const changed = await press(request, given)
    if (changed) return renderEditor(request, changed, link)
    const form = { ...given, rules: given.rules.filter((rule) => !isEmptyRule(rule)) }
    try {
      const id = await store(request, form, link)
      const to = readBack(request) ?? `${PATH}/${id}`
      return { to, toast: link ? 'linkSaved' : 'created' }
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.code === 'internal' || rejection.code === 'not_found') throw rejection
      const errors = describeFormErrors(rejection, (each) => findErrorInput(each, form))
      const again = await renderEditor(request, { form, errors }, link)
      if (errors.form === undefined) return again
      return { ...again, status: rejection.status, headers: createErrorHeaders(rejection) }
    }
  }

  /** Creates or changes a link, and returns its id. Nothing is stored if any field is invalid. */
  async function store(
    request: ConsoleRequest,
    given: LinkForm,
    link: EditedLink | undefined,
  ): Promise<number> {
    const { scope } = request
    let upload: ShareImage | undefined
    let id = link?.id ?? 0
    await checkAllAsync(
      async () => {
        upload = await readUpload(request, given)
      },
      () => checkLinkForm(given),
      () => checkMemberships(scope, given),
      async (hasFailed) => {
        const texts = { ...given.texts, ...(upload && { metaImage: upload.url }) }
        const form = { ...given, texts }
        if (hasFailed) await validateLink(scope, readInput(form, link), link)
        else if (link) await change(request, link, form, upload)
        else id = await createOnce(request, form, upload)
      },
      (hasFailed) => hasFailed && requireFreeAlias(scope, { ...given.texts, id: link?.id }),
    )
    return id
  }

  async function change(
    request: ConsoleRequest,
    link: EditedLink,
    form: LinkForm,
    upload?: ShareImage,
  ): Promise<void> {
    const { scope } = request
    const { id } = link
    await storeShareImage(scope, id, { upload, url: form.texts.metaImage ?? '' })
    await updateLink(scope, id, readInput(form, link))
    const previous = await readMemberships(scope, id)
    await changeMemberships(scope, id, { selected: form, previous })
  }

  /** Creates a link once per rendered form, however often it is submitted. Returns its id. */
  async function createOnce(request: ConsoleRequest, form: LinkForm, upload?: ShareImage) {
    const accountId = request.session.account.id
    const input = toLinkInput(form)
    const { once } = readFields(request.body, ['once'])
    const fingerprint = JSON.stringify([once, input, form.campaigns, form.channels])
    const key = `form ${createHash('sha256').update(fingerprint).digest('base64url')}`
    const { id } = await ctx.idempotency.run(
      { accountId, key, request: fingerprint },
      () => readNewLinks(request.scope, [input]),
      async (tx, prepared) => {
        const scope = { ...request.scope, db: tx }
        const [result] = await createLinks(scope, prepared)
        if (result?.status !== 'fulfilled') throw result?.reason
        const { id } = result.value
        await storeShareImage(scope, id, { upload, url: input.metaImage })
        await changeMemberships(scope, id, { selected: form, previous: NO_GROUPS })
        return { id }
      },
    )
    return id
  }

  /** Returns the form as a pressed button changes it. Undefined for the button that saves. */
  async function press(request: ConsoleRequest, given: LinkForm): Promise<Shown | undefined> {
    const { user } = request.session
    const body = (request.body ?? {}) as Record<string, unknown>
    const { more } = readFields(body, ['more'])
    const rules = changeRules(body, more, user.timeZone)
    if (rules) return { form: { ...given, rules: rules.rules }, focus: rules.focus, more }
    const templates = await changeTemplates(request.scope, given, body)
    if (templates) return { ...templates, more }
    if (more === 'title') return { ...(await fillTitle(request, given)), more }
    const form = { ...given, rules: given.rules.filter((rule) => !isEmptyRule(rule)) }
    if (LISTS.some(({ name }) => name === more)) return { form, more }
    // The user switched from the short form on the overview, so its values are kept.
    const { url, alias } = form.texts
    return more === 'options' ? { form, isUnsaved: Boolean(url || alias) } : undefined
  }

  /** Returns the uploaded image of the share card, if there is one. */
  async function readUpload({ scope, body, session }: ConsoleRequest, { texts }: LinkForm) {
    const { metaImageFile: file } = (body ?? {}) as Record<string, unknown>
    // Browsers send an empty file for a field without one.
    if (!Buffer.isBuffer(file) || file.length === 0) return undefined
    const { id } = session.account
    const image = await ctx.readShareImage(id, file)
    return prepareShareImage(scope, image, texts.domain || null)
  }

  /** Fills in the title of the destination, and its description unless one was typed. */
  async function fillTitle(request: ConsoleRequest, form: LinkForm): Promise<Shown> {
    const { url = '', metaDescription } = form.texts
    const answer = await fetchTitle(ctx, request, url)
    if ('error' in answer) return { form, errors: { url: answer.error } }
    const { title, description, text } = answer
    if (title === '') return { form, fetched: text }
    const filled = { metaTitle: title, metaDescription: metaDescription || description }
    const texts = { ...form.texts, url: addScheme(url), ...filled }
    return { form: { ...form, texts }, fetched: text, focus: 'metaTitle' }
  }

  async function renderEditor(
    request: ConsoleRequest,
    shown: Shown,
    link?: EditedLink,
  ): Promise<Page> {
    const { scope, session } = request
    const { user } = session
    const { errors, more, isUnsaved = errors !== undefined || more !== undefined } = shown
    const choices = await loadLinkChoices(scope, shown.form)
    const finalUrl = await describeFinalUrl(scope, shown.form)
    const editor = { ...shown, choices, finalUrl, link, timeZone: user.timeZone }
    const once = randomUUID()
    return {
      title: link ? t('linkForm.edit', { name: linkNameText(link) }) : t('linkForm.new'),
      body: (frame) => {
        const content = renderForm(frame, editor, { once, isUnsaved, back: readBack(request) })
        return html`<h1 class="clamped">${link ? tHtml('linkForm.edit', { name: html`<bdi>${linkNameText(link)}</bdi>` }) : t('linkForm.new')}</h1>
${link ? html`<p class="small"><a class="address" href="${link.shortUrl}" rel="noreferrer" target="_blank"><bdi>${shortLinkText(link.shortUrl)}</bdi></a></p>` : null}
${renderSummary(editor)}
${content}
${renderRuleTemplates(editor)}
${link ? null : renderBookmarklet(ctx.config.baseUrl)}`
      },
      ...(errors && { status: 422 }),
    }
  }
}

/** Returns the input for a new link, or the changes to a stored one. */
function readInput(form: LinkForm, link?: EditedLink): LinkInput {
  return link ? findChanges(form, toLinkForm(link)) : toLinkInput(form)
}

/** Returns the list of links from which the form was opened, if any. */
function readBack({ query, body }: Pick<ConsoleRequest, 'query' | 'body'>): string | undefined {
  const back = readFields(body, ['back']).back || readFields(query, ['back']).back
  return /^\/console\/links(?:\?|$)/.test(back) ? parseConsolePath(back) : undefined
}

function renderForm(
  { csrf }: Frame,
  editor: Editor,
  /** `once` identifies a rendered form, so that submitting it twice creates one link. */
  { once, isUnsaved, back }: { once: string; isUnsaved: boolean; back: string | undefined },
): SafeHtml {
  const path = editor.link ? `${PATH}/${editor.link.id}` : PATH
  const button = editor.link ? t('linkForm.save') : t('linkForm.create')
  return html`<form class="link-form" method="post" enctype="multipart/form-data" action="${editor.link ? `${path}/edit` : `${path}/new`}" data-saving${withScript('saving')}${isUnsaved ? html` data-unsaved` : null}>
${csrfField(csrf)}${renderHidden({ once, ...(back && { back }) })}
${renderDefaultButton(button)}
<div class="builder">
<div class="builder-main">
${renderEssentials(editor)}
${renderGroups(editor)}
</div>
${renderSideColumn(editor)}
</div>
<div class="save-bar">
<button class="button" data-save>${button}</button>
<a class="button quiet" href="${back ?? path}">${t('linkForm.cancel')}</a>
<span class="small soft" data-state data-text="${t('linkForm.unsaved')}" role="status">${isUnsaved ? t('linkForm.unsaved') : null}</span>
</div>
</form>`
}
