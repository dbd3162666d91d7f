import { Readable } from 'node:stream'
import fastify, { type FastifyInstance } from 'fastify'
import { test as base, describe, expect } from 'vitest'
import { toAppError } from '../errors.ts'
import { parseForms, parseUploads, type UploadForm } from './multipart.ts'

const TYPE = 'multipart/form-data; boundary=xyz'
const FILE = 'alias,url\r\n--xy\r\n\r\na,b\n'
const BODY = [
  '--xyz',
  'Content-Disposition: form-data; name="kind"',
  '',
  'csv',
  '--xyz',
  'content-disposition: form-data; name="file"; filename="l\u00e4nks.csv"',
  'Content-Type: text/csv',
  '',
  FILE,
  '--xyz--',
  '',
].join('\r\n')
const MAX_BYTES = 65_536

/**
 * `sendUpload` and `sendForm` send a body in chunks of `chunkBytes` bytes and return the form that the handler
 * received, or the status and error code.
 */
const test = base
  .extend('sendUpload', { scope: 'file' }, async () => {
    const app = createApp()
    await parseUploads(app)
    app.post('/', async ({ body }) => {
      const { file, ...fields } = body as UploadForm
      const content = file && (await Array.fromAsync(file.content))
      return { fields, name: file?.name, content: content && Buffer.concat(content).toString() }
    })
    return createSender(app)
  })
  .extend('sendForm', { scope: 'file' }, async () => {
    const app = createApp()
    await parseForms(app, MAX_BYTES)
    app.post('/', async ({ body }) =>
      Object.entries(body as object).map(([name, value]) => [name, String(value)]),
    )
    return createSender(app)
  })

function createApp(): FastifyInstance {
  const app = fastify()
  app.setErrorHandler((error, request, reply) => {
    const { status, code } = toAppError(error, request)
    return reply.status(status).send(code)
  })
  return app
}

function createSender(app: FastifyInstance) {
  return async (body: string, { type = TYPE, chunkBytes = 1000, sendsLength = false } = {}) => {
    const reply = await app.inject({
      method: 'POST',
      url: '/',
      payload: Readable.from(splitIntoChunks(body, chunkBytes)),
      headers: {
        'content-type': type,
        ...(sendsLength && { 'content-length': String(Buffer.byteLength(body)) }),
      },
    })
    return reply.statusCode === 200 ? reply.json() : `${reply.statusCode} ${reply.body}`
  }
}

function* splitIntoChunks(text: string, chunkBytes: number): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let offset = 0; offset < bytes.length; offset += chunkBytes)
    yield bytes.subarray(offset, offset + chunkBytes)
}

function createField(name: string, value: string): string {
  return `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
}

describe('an upload', () => {
  test.for([1, 2, 3, 7, 64, 10_000])(
    'is complete in chunks of %i bytes',
    async (chunkBytes, { sendUpload }) => {
      expect(await sendUpload(BODY, { chunkBytes })).toEqual({
        fields: { kind: 'csv' },
        name: 'länks.csv',
        content: FILE,
      })
    },
  )

  test('may be larger than the field limits', async ({ sendUpload }) => {
    const content = 'x'.repeat(3_000_000)
    expect(await sendUpload(BODY.replace(FILE, content))).toMatchObject({ content })
  })

  test('may be missing', async ({ sendUpload }) => {
    expect(await sendUpload(`${createField('a', 'b')}--xyz--\r\n`)).toEqual({ fields: { a: 'b' } })
  })

  test('ends the form, and later fields are ignored', async ({ sendUpload }) => {
    const body = BODY.replace('--xyz--', `${createField('kind', 'later')}--xyz--`)
    expect(await sendUpload(body)).toMatchObject({ fields: { kind: 'csv' } })
  })
})

test('a multipart body has fields as text, files as bytes, and the last value of each name', async ({
  sendForm,
}) => {
  expect(await sendForm(createField('kind', 'first') + BODY)).toEqual([
    ['kind', 'csv'],
    ['file', FILE],
  ])
})

describe.for(['upload', 'form'] as const)('a multipart body parsed as %s', (parser) => {
  const createForm = (count: number) => `${createField('a', '').repeat(count)}--xyz--\r\n`

  test.for([
    ['no boundary', BODY, { type: 'multipart/form-data' }],
    ['no delimiter', 'x'.repeat(10_000), {}],
    ['a cut-off file', BODY.slice(0, -20), { chunkBytes: 16 }],
    ['endless headers', `--xyz\r\n${'a: b\r\n'.repeat(5000)}`, {}],
    ['a part without a name', BODY.replace(' name="kind"', ''), {}],
    ['65 parts', createForm(65), {}],
  ] as const)(
    'is rejected as malformed if it has %s',
    async ([, body, options], { sendUpload, sendForm }) => {
      const send = { upload: sendUpload, form: sendForm }[parser]
      expect(await send(body, options)).toBe('400 malformed_request')
    },
  )

  test('may have 64 parts', async ({ sendUpload, sendForm }) => {
    const send = { upload: sendUpload, form: sendForm }[parser]
    expect(await send(createForm(64))).not.toBeTypeOf('string')
  })

  test('is rejected as too large if a field is endless', async ({ sendUpload, sendForm }) => {
    const send = { upload: sendUpload, form: sendForm }[parser]
    const body = createField('a', 'c'.repeat(100_000)) + BODY
    expect(await send(body)).toBe('413 body_too_large')
  })
})

test.for([
  ['named like a property of every object', createField('__proto__', 'x') + BODY],
  ['that is JSON', BODY.replace('"kind"', '"kind"\r\nContent-Type: application/json')],
] as const)('a form with a field %s is rejected as malformed', async ([, body], { sendForm }) => {
  expect(await sendForm(body)).toBe('400 malformed_request')
})

describe('a form is rejected as too large', () => {
  test.for([
    ['because of its Content-Length', createField('a', 'c'.repeat(MAX_BYTES)) + BODY, true],
    ['because of a large file', BODY.replace(FILE, 'c'.repeat(MAX_BYTES + 1)), false],
    [
      'because of the total size of its fields',
      createField('a', 'c'.repeat(40_000)).repeat(2) + BODY,
      false,
    ],
  ] as const)('%s', async ([, body, sendsLength], { sendForm }) => {
    expect(await sendForm(body, { sendsLength })).toBe('413 body_too_large')
  })
})
