import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../errors.ts'
import { MAX_LOGO_BYTES } from '../../../qr/logo-source.ts'

/** A logo that is a little too large is told so beside its field; much more is not read at all. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES

/** No form has as many fields. Reading 40,000, which 2 MiB can hold, took 1.5 s. */
const MOST_PARTS = 64

/** As browsers write it: what could be quoted in it need not be. */
const FORM_TYPE = /^multipart\/form-data; ?boundary=([\w'()+,./:=?-]{1,70})$/i

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
  const boundary = FORM_TYPE.exec(type)?.[1]
  if (boundary === undefined || countUpTo(MOST_PARTS + 2, body, `--${boundary}`) > MOST_PARTS + 1) {
    throw new AppError('malformed_request')
  }
  try {
    // Node's own reader: the body is small and in memory already.
    const response = new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    const fields: Record<string, string | Buffer> = Object.create(null)
    for (const [name, value] of await response.formData()) {
      fields[name] = typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer())
    }
    return fields
  } catch (cause) {
    throw new AppError('malformed_request', undefined, { cause })
  }
}

/** How often a text occurs in `body`, or `most` if it is as often or more. */
function countUpTo(most: number, body: Buffer, text: string): number {
  let count = 0
  for (let at = body.indexOf(text); at !== -1 && count < most; at = body.indexOf(text, at + 1)) {
    count += 1
  }
  return count
}
