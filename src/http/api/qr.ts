import { type TSchema, Type } from '@sinclair/typebox'
import { readLinkStatistics, readTotals } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { type QrType, qrTypes } from '../../qr/content/payload.ts'
import { MAX_CAPTION } from '../../qr/drawing/caption-font.ts'
import { DOTS, EYES } from '../../qr/drawing/style.ts'
import {
  addQrCode,
  deleteQrCode,
  getQrCode,
  listQrCodes,
  updateQrCode,
} from '../../qr/qr.service.ts'
import { getQrImageUrl, noScans, type QrCode } from '../../qr/qr.ts'
import { MAX_NAME, readQrInput } from '../../qr/qr-input.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import {
  addErrorReplies,
  allClearable,
  allOptional,
  Clearable,
  createListReply,
  Id,
  ListQuery,
  MessageReply,
  normalizeBody,
  presentPage,
  readPage,
  Text,
  Timestamp,
} from './schemas.ts'
import { presentStatistics, StatisticsReply } from './statistics.ts'

const tags = ['QR codes']
const Params = Type.Object({ id: Type.String({ description: 'ID of the QR code.' }) })

const color = 'rgb(R,G,B), each from 0 to 255'
const fields = {
  type: Type.Unsafe<QrType>({ type: 'string', enum: qrTypes }),
  data: Type.Unknown({
    description:
      'link: a URL, or a short link of the account, which is then encoded directly; text: text; email: address or {email, subject, message}; phone: number or ' +
      '{phone}; sms: number or {phone, message}; wifi: {ssid, encryption, password, hidden}; ' +
      'vcard: {fname, lname, org, title, phone, cell, fax, email, website, street, city, state, ' +
      'zip, country} or text beginning BEGIN:VCARD',
  }),
}
const options = {
  name: Text(MAX_NAME),
  background: Text(64, { description: `${color}. Default: white.` }),
  foreground: Text(64, { description: `${color}. Default: black.` }),
  logo: Text(8192, {
    description: 'URL of a PNG or JPEG image, or the name of one of the service’s logos.',
  }),
  dots: Text(64, { description: `Shape of the modules: ${DOTS.join(', ')}.` }),
  eyes: Text(64, { description: `Shape of the corners: ${EYES.join(', ')}.` }),
  caption: Text(MAX_CAPTION, { description: 'Text in a frame around the code, in Latin letters.' }),
}

const QrCreate = Type.Object(
  { type: fields.type, data: fields.data, ...allOptional(options) },
  {
    examples: [
      { type: 'link', data: 'https://example.com/menu', name: 'Menu', foreground: 'rgb(20,40,90)' },
    ],
  },
)

const QrUpdate = Type.Object(
  { data: fields.data, type: Clearable(fields.type), ...allClearable(options) },
  {
    description: 'Absent or null fields keep their values; "" clears a field.',
    examples: [{ data: 'https://example.com/new-menu' }],
  },
)

const entryFields = {
  id: Id,
  link: Type.String({ description: 'URL of the image.' }),
  scans: Type.Integer({
    description:
      'Clicks on the code’s own short link. If the code encodes an existing short link, the scans of QR ' +
      'codes among the clicks on that link. 0 for static codes.',
  }),
  name: Type.String(),
  date: Timestamp,
}
const QrEntry = Type.Object(entryFields)
const createSuccessReplies = <Fields extends Record<string, TSchema>>(more: Fields) =>
  addErrorReplies(Type.Object({ error: Type.Literal(0), ...more }))

export function registerQrRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/qr',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List QR codes',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('qrs', QrEntry, config.listError)),
      },
    },
    async ({ scope, query }) => {
      const page = readPage(query)
      const { entries, total } = await listQrCodes(scope, page)
      return presentPage('qrs', entries.map(present), page, total, config.listError)
    },
  )

  app.get(
    '/qr/:id',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'Get a QR code and its statistics',
        description:
          'For a code that encodes an existing short link, `data` has all clicks on that link.',
        params: Params,
        response: createSuccessReplies({ details: QrEntry, data: StatisticsReply }),
      },
    },
    async ({ scope, params }) => {
      const code = await getQrCode(scope, parsePathId(params.id))
      const { linkId, usesAccountLink } = code
      const totals = await readTotals(ctx.db, usesAccountLink && linkId !== null ? [linkId] : [])
      const clicks = totals.get(linkId ?? 0)?.clicks ?? code.scans
      const statistics =
        linkId === null ? noScans : await readLinkStatistics(ctx.db, { id: linkId, clicks })
      const details = present({ ...code, scans: usesAccountLink ? code.scans : statistics.clicks })
      return { error: 0 as const, details, data: presentStatistics(statistics) }
    },
  )

  app.post(
    '/qr/add',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Create a QR code',
        body: QrCreate,
        response: createSuccessReplies({ id: Id, link: entryFields.link }),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      // `prepare` runs before the transaction, which would hold a database connection meanwhile.
      return runOnce(request, {
        prepare: () => readQrInput(request.scope, request.body),
        work: addQrCode,
        present: ({ id, alias }) => ({
          error: 0 as const,
          id,
          link: getQrImageUrl(config.baseUrl, alias),
        }),
      })
    },
  )

  app.put(
    '/qr/:id/update',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Update a QR code',
        description:
          'The image of a link code stays the same when its data changes, so printed codes lead to the new URL ' +
          'or short link. The exception is a code that encodes an existing short link: its image changes. To ' +
          'redirect printed copies of it, change the link instead.',
        params: Params,
        body: QrUpdate,
        response: addErrorReplies(MessageReply),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ scope, params, body }) => {
      const { type, ...input } = body
      // The type is required, so null keeps the stored one.
      await updateQrCode(scope, parsePathId(params.id), {
        ...input,
        ...(type && { type }),
      })
      return { error: 0 as const, message: 'QR code has been updated successfully.' }
    },
  )

  app.delete(
    '/qr/:id/delete',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Delete a QR code',
        description: 'An existing short link that the code encodes is not deleted.',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ scope, params }) => {
      await deleteQrCode(scope, parsePathId(params.id))
      return { error: 0 as const, message: 'QR code has been deleted successfully.' }
    },
  )

  function present({ id, alias, scans, name, createdAt }: QrCode) {
    const link = getQrImageUrl(config.baseUrl, alias)
    return { id, link, scans, name, date: formatTimestamp(createdAt) }
  }
}
