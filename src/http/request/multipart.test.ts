import { describe, expect, test } from 'vitest'
import { readFileForm } from './multipart.ts'

const TYPE = 'multipart/form-data; boundary=xyz'
const BODY = [
  '--xyz',
  'Content-Disposition: form-data; name="kind"',
  '',
  'csv',
  '--xyz',
  'content-disposition: form-data; name="file"; filename="l\u00e4nks.csv"',
  'Content-Type: text/csv',
  '',
  'alias,url\r\n--xy\r\n\r\na,b\n',
  '--xyz--',
  '',
].join('\r\n')

async function* inParts(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function contentOf(chunks: AsyncIterable<Buffer> = inParts('', 1)): Promise<string> {
  return Buffer.concat(await Array.fromAsync(chunks)).toString()
}

describe('a form with a file', () => {
  test.for([1, 2, 3, 7, 64, 10_000])('is read in parts of %i bytes', async (size) => {
    const { fields, file } = await readFileForm(TYPE, inParts(BODY, size))
    expect({ ...fields }).toEqual({ kind: 'csv' })
    expect(file?.name).toBe('länks.csv')
    expect(await contentOf(file?.content)).toBe('alias,url\r\n--xy\r\n\r\na,b\n')
  })

  test('may have no file', async () => {
    const body = '--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--xyz--\r\n'
    const { fields, file } = await readFileForm(TYPE, inParts(body, 5))
    expect([{ ...fields }, file]).toEqual([{ a: 'b' }, undefined])
  })

  test('that is cut off is refused while its file is read', async () => {
    const { file } = await readFileForm(TYPE, inParts(BODY.slice(0, -20), 16))
    await expect(contentOf(file?.content)).rejects.toMatchObject({ code: 'malformed_request' })
  })

  test.for([
    ['no boundary', 'multipart/form-data', BODY],
    ['nothing', TYPE, ''],
    ['no delimiter', TYPE, 'x'.repeat(100_000)],
    ['endless headers', TYPE, `--xyz\r\n${'a: b\r\n'.repeat(5000)}`],
    ['an endless field', TYPE, BODY.replace('\r\ncsv', `\r\n${'c'.repeat(50_000)}`)],
    ['a part without a name', TYPE, BODY.replace(' name="kind"', '')],
  ] as const)('with %s is refused', async ([, type, body]) => {
    const reading = readFileForm(type, inParts(body, 1000))
    await expect(reading).rejects.toMatchObject({ code: 'malformed_request' })
  })
})
