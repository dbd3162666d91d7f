import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

/** A file whose content is read as a stream. */
export type Upload = { name: string; content: AsyncGenerator<Buffer, void> }
/** A form's fields up to its first file. `file` is undefined if the form has no file. */
export type UploadForm = Record<string, string | Upload | undefined> & { file?: Upload }

type Value = string | Buffer
type Form = Record<string, Value | Value[]>

type FormOptions = {
  /** Whether repeated names become lists, as in URL-encoded forms. Otherwise the last part wins. */
  repeatsAsLists?: boolean
  /** The maximum number of parts. Default: 64. */
  parts?: number
}

const LIMITS = { parts: 64, fields: 64, headerPairs: 16 }
const MAX_UPLOAD_FIELD_BYTES = 16_384

/**
 * Parses the scope's multipart forms into `request.body`, in memory: fields as text, files as
 * bytes.
 */
export async function parseForms(
  app: FastifyInstance,
  maxBytes: number,
  { repeatsAsLists = false, parts = LIMITS.parts }: FormOptions = {},
): Promise<void> {
  await app.register(multipart, {
    limits: { ...LIMITS, parts, fields: parts, fieldSize: maxBytes, fileSize: maxBytes },
  })
  app.addHook('preValidation', async (request, reply) => {
    if (!request.isMultipart()) return
    // If the connection stayed open, the rest of a rejected body would be parsed as a request.
    reply.header('connection', 'close')
    if (Number(request.headers['content-length']) > maxBytes) throw new AppError('body_too_large')
    request.body = await readForm(request, maxBytes, repeatsAsLists).catch(rejectForm)
    reply.removeHeader('connection')
  })
}

/**
 * Parses the scope's multipart forms up to the first file, which the handler reads as a stream.
 * Ignores everything after the file and closes the connection after the reply.
 */
export async function parseUploads(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { ...LIMITS, fieldSize: MAX_UPLOAD_FIELD_BYTES, fileSize: Infinity },
  })
  app.addHook('preValidation', async (request, reply) => {
    if (!request.isMultipart()) return
    reply.header('connection', 'close')
    request.body = await readUntilFile(request).catch(rejectForm)
  })
}

async function readForm(
  request: FastifyRequest,
  maxBytes: number,
  repeatsAsLists: boolean,
): Promise<Form> {
  const form: Form = Object.create(null)
  let bytes = 0
  for await (const part of request.parts()) {
    const value = part.type === 'file' ? await part.toBuffer() : readText(part)
    bytes += value.length
    if (bytes > maxBytes) throw new AppError('body_too_large')
    const name = readFieldName(part)
    const previous = form[name]
    form[name] = repeatsAsLists && previous !== undefined ? [previous, value].flat() : value
  }
  return form
}

async function readUntilFile(request: FastifyRequest): Promise<UploadForm> {
  const form: UploadForm = Object.create(null)
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      return Object.assign(form, { file: { name: part.filename, content: readContent(part.file) } })
    }
    form[readFieldName(part)] = readText(part)
  }
  return form
}

async function* readContent(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    yield* file
  } catch (error) {
    rejectForm(error)
  }
}

type FieldPart = { fieldname?: string; value: unknown; valueTruncated: boolean }

function readText({ value, valueTruncated }: FieldPart): string {
  if (valueTruncated) throw new AppError('body_too_large')
  // The parser returns fields with a JSON content type as parsed values.
  if (typeof value !== 'string') throw new AppError('malformed_request')
  return value
}

function readFieldName({ fieldname }: { fieldname?: string }): string {
  if (fieldname === undefined) throw new AppError('malformed_request')
  return fieldname
}

/** @throws AppError always */
function rejectForm(cause: unknown): never {
  if (cause instanceof AppError) throw cause
  const isTooLarge =
    cause instanceof Error && 'code' in cause && cause.code === 'FST_REQ_FILE_TOO_LARGE'
  throw new AppError(isTooLarge ? 'body_too_large' : 'malformed_request', undefined, { cause })
}
