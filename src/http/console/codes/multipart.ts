import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../errors.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'
import { readFormData } from '../../request/form-data.ts'

/** A logo that is a little too large is told so beside its field; much more is not read at all. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES

/** Lets the forms of these pages carry a file, which is then the bytes of it. */
export function readMultipart(app: FastifyInstance): void {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    async (request: { headers: { 'content-type'?: string } }, body: Buffer) =>
      fieldsIn(request.headers['content-type'] ?? '', body),
  )
}

async function fieldsIn(type: string, body: Buffer): Promise<Record<string, string | Buffer>> {
  try {
    const fields: Record<string, string | Buffer> = Object.create(null)
    for (const [name, value] of await readFormData(type, body)) {
      fields[name] = typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer())
    }
    return fields
  } catch (cause) {
    throw new AppError('malformed_request', undefined, { cause })
  }
}
