import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { getLink } from '../../../links/link.service.ts'
import { listLinks } from '../../../links/link-list.service.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import {
  addQrCode,
  deleteQrCode,
  getQrCode,
  getQrDetails,
  listQrCodes,
  updateQrCode,
} from '../../../qr/qr.service.ts'
import type { QrCode, QrDetails } from '../../../qr/qr.ts'
import { readQrInput } from '../../../qr/qr-input.ts'
import { t, tAll } from '../../../texts.ts'
import { toAppError } from '../../errors.ts'
import { parseForms } from '../../request/multipart.ts'
import { parsePathId } from '../../request/path-id.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { previewPolicy } from '../kit/preview.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { registerDeletionRoutes } from '../resources/deletion.ts'
import { registerListRoute } from '../resources/list.ts'
import { formatCount } from '../shell/format-count.ts'
import { formatDate } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { registerCodePageRoutes } from './code-routes.ts'
import { renderCodeEditorPage } from './editor-page.ts'
import {
  type CodeForm,
  createNewForm,
  findErrorField,
  readCodeForm,
  readType,
  toCodeForm,
  toQrInput,
} from './form.ts'
import { registerCodePreviewRoutes } from './preview.ts'
import { requireLink } from './require-link.ts'

type CodeRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: { type?: unknown; link?: unknown }
}>
type EditorState = {
  form: CodeForm
  /** The id of the link that a new code is for, if the form was opened from a link. */
  linkId?: number | undefined
  /** The code being edited. */
  code?: QrDetails | undefined
  errors?: Record<string, string>
}

/** Slightly too large logos get an error at their field. Much larger bodies are rejected. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES

/** The maximum number of suggested links. Users can enter any short link of the account. */
const MAX_LINK_CHOICES = 100

type PageQuery = Parameters<typeof listQrCodes>[3]

/** Returns the plugin with the routes of QR codes: list, page, create, edit, delete and preview. */
export function createCodeRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT)
    registerListRoute(app, createCodeResource(ctx))
    registerDeletionRoutes(app, createCodeResource(ctx))
    registerCodePageRoutes(app, ctx)
    registerCodePreviewRoutes(app, ctx)
    registerCodeEditorRoutes(app, ctx)
  }
}

/** Defines QR codes as a kind of resource with a list and a deletion page. Their forms differ. */
function createCodeResource(ctx: HttpContext) {
  return {
    get words() {
      return { section: '/console/codes', ...tAll('code.words') } as const
    },
    get columns() {
      return [
        t('code.list.code'),
        t('code.type'),
        t('code.source.link'),
        t('code.scans'),
        t('code.list.created'),
      ]
    },
    nameOf: ({ name }: QrCode) => name,
    cellsOf: ({ alias, type, shortUrl, scans, createdAt }: QrCode, zone: string) => [
      { picture: `/qr/${alias}.svg?size=100` },
      { text: t(`code.types.${type}`) },
      shortUrl === null ? { text: t('code.list.noLink') } : { url: shortUrl },
      { text: shortUrl === null ? t('code.list.notCounted') : formatCount(scans) },
      { text: formatDate(createdAt, zone) },
    ],
    hasDetailsPage: true,
    list: (accountId: number, page: PageQuery) => listQrCodes(ctx, ctx.db, accountId, page),
    get: (accountId: number, id: number) => getQrCode(ctx, ctx.db, accountId, id),
    remove: (accountId: number, id: number) => deleteQrCode(ctx, ctx.db, accountId, id),
  } as const
}

function registerCodeEditorRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('editor'),
    url: '/codes/new',
    handler: async ({ query, session }: CodeRequest, reply) => {
      const link =
        typeof query.link === 'string'
          ? await getLink(ctx, ctx.db, session.account.id, parsePathId(query.link))
          : undefined
      const form = createNewForm(readType(query.type), link?.shortUrl)
      return sendEditor(reply, { form, linkId: link?.id })
    },
  })

  app.post('/codes', formFor('editor'), async (request, reply) => {
    const { account } = request.session
    return save(reply, undefined, async (form) => {
      const prepared = await readQrInput(ctx, ctx.db, account.id, toQrInput(form))
      const { id } = await addQrCode(ctx, ctx.db, account.id, prepared)
      return id
    })
  })

  app.route({
    ...pageFor('editor'),
    url: '/codes/:id/edit',
    handler: async (request: CodeRequest, reply) => {
      const code = await getCode(request)
      const type = readType(request.query.type, code.type)
      return sendEditor(reply, { form: toCodeForm(code, type), code })
    },
  })

  app.post('/codes/:id', formFor('editor'), async (request: CodeRequest, reply) => {
    const code = await getCode(request)
    return save(reply, code, async (form) => {
      await updateQrCode(ctx, ctx.db, request.session.account.id, code.id, toQrInput(form))
      return code.id
    })
  })

  function getCode({ session, params }: CodeRequest): Promise<QrDetails> {
    return getQrDetails(ctx, ctx.db, session.account.id, parsePathId(params.id))
  }

  /** Stores a submitted form, or shows it again with the error. Throws `not_found` and failures. */
  async function save(
    reply: FastifyReply,
    code: QrDetails | undefined,
    store: (form: CodeForm) => Promise<number>,
  ): Promise<FastifyReply> {
    const form = readCodeForm(reply.request.body)
    try {
      await requireLink(ctx, reply.request.session.account.id, form)
      const id = await store(form)
      setToast(reply, code ? 'saved' : 'created')
      return reply.redirect(`/console/codes/${id}`, 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
      const field = findErrorField(rejection, form)
      const errors = { [field]: describeFormError(field, rejection) }
      return sendEditor(reply, { form, code, errors }, field === 'form' ? rejection.status : 422)
    }
  }

  async function sendEditor(
    reply: FastifyReply,
    { form, code, linkId, errors = {} }: EditorState,
    status = 200,
  ) {
    const { type, values } = form
    const newest = { order: 'date', limit: MAX_LINK_CHOICES, offset: 0 } as const
    const { id } = reply.request.session.account
    const { entries } = await listLinks(ctx, ctx.db, id, newest)
    const links = entries.map(({ shortUrl, metaTitle, url }) => ({
      shortUrl,
      title: metaTitle ?? hostOf(url),
    }))
    return sendConsolePage(
      reply,
      (frame) =>
        renderCodeEditorPage(frame, {
          type,
          values,
          errors,
          links,
          linkId,
          before: code,
          maxLogoBytes: MAX_LOGO_BYTES,
        }),
      { status, policy: previewPolicy },
    )
  }
}
