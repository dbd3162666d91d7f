import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { decodeUtf8 } from './body-text.ts'

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

const LIMITS = { parts: 64, headerPairs: 16 }
const MAX_UPLOAD_FIELD_BYTES = 16_384
/** Fields are parsed like files, because the parser would replace bytes that are not UTF-8. */
const RAW_FIELDS = { isPartAFile: () => true }

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
    ...RAW_FIELDS,
    limits: { ...LIMITS, parts, fileSize: maxBytes },
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
    ...RAW_FIELDS,
    limits: { ...LIMITS, fileSize: Infinity },
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
  for await (const part of request.files()) {
    const value = isFile(part) ? await part.toBuffer() : await readText(part, maxBytes)
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
  for await (const part of request.files()) {
    if (isFile(part)) {
      return Object.assign(form, { file: { name: part.filename, content: readContent(part.file) } })
    }
    form[readFieldName(part)] = await readText(part, MAX_UPLOAD_FIELD_BYTES)
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

/** Browsers name every file, and other clients at least its type. */
function isFile({ filename, mimetype }: MultipartFile): boolean {
  return filename !== undefined || mimetype === 'application/octet-stream'
}

async function readText({ file, mimetype }: MultipartFile, maxBytes: number): Promise<string> {
  if (mimetype === 'application/json') throw new AppError('malformed_request')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of file as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new AppError('body_too_large')
    chunks.push(chunk)
  }
  if (file.truncated) throw new AppError('body_too_large')
  return decodeUtf8(Buffer.concat(chunks))
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
  throw new AppError(isTooLarge ? 'body_too_large' : 'malformed_request', { cause })
}
