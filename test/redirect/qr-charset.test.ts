import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { expect } from 'vitest'
import { isInstalled } from '../support/published.ts'
import { readCode } from '../support/read-code.ts'
import { appTest } from '../support/test.ts'

const test = appTest()
const hasZbar = isInstalled('zbarimg')

const CONTENTS = [
  ['text', 'Müller', 'Müller'],
  ['text', 'é', 'é'],
  ['text', '日本語', '日本語'],
  ['text', 'Привет', 'Привет'],
  ['text', '12345 ß', '12345 ß'],
  ['text', '👩‍👩‍👧', '👩‍👩‍👧'],
  ['text', 'ﾊﾝｶｸ', 'ﾊﾝｶｸ'],
  ['sms', { phone: '+491234', message: 'ü' }, 'SMSTO:+491234:ü'],
  [
    'wifi',
    { ssid: 'Café', encryption: 'WPA2', password: 'pässwörd1' },
    'WIFI:T:WPA;S:Café;P:pässwörd1;;',
  ],
  [
    'vcard',
    { fname: 'Zoë', lname: 'Łuć' },
    'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Łuć;Zoë;;;\r\nFN:Zoë Łuć\r\nEND:VCARD\r\n',
  ],
  ['vcard', 'BEGIN:VCARD\nFN:Jü\nEND:VCARD', 'BEGIN:VCARD\nFN:Jü\nEND:VCARD'],
  ['text', 'HELLO 123', 'HELLO 123'],
  ['email', { email: 'jo@example.com', subject: 'ü' }, 'mailto:jo@example.com?subject=%C3%BC'],
] as const

test.for(CONTENTS)(
  'ZBar reads the %s code of %j in every format',
  async ([type, data, payload], { skip, make, owner, request }) => {
    skip(!hasZbar, 'zbarimg is not installed')
    const { alias } = await make.qr(owner, { type, data })
    for (const format of ['png', 'svg', 'pdf']) {
      const reply = await request({ url: `/qr/${alias}.${format}?size=600` })
      expect(reply.statusCode, format).toBe(200)
      const image = format === 'pdf' ? toSvg(reply.rawPayload) : reply.rawPayload
      const png = await sharp(image).flatten({ background: '#fff' }).png().toBuffer()
      expect(await readWithZbar(png), format).toBe(payload)
      expect(await readCode(png), format).toBe(payload)
    }
  },
)

async function readWithZbar(png: Buffer): Promise<string> {
  const reading = promisify(execFile)('zbarimg', ['--quiet', '--raw', 'png:-'])
  reading.child.stdin?.end(png)
  return (await reading).stdout.replace(/\n$/, '')
}

const COMMANDS: Readonly<Record<string, string>> = { m: 'M', l: 'L', c: 'C', h: 'Z' }

/** Converts a PDF page that only fills shapes to SVG, because no tool here draws PDF. */
function toSvg(pdf: Buffer): Buffer {
  const text = pdf.toString('latin1')
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text) ?? []
  const start = text.indexOf('stream\n', text.indexOf('4 0 obj')) + 'stream\n'.length
  const [transform = '', ...operators] = inflateSync(pdf.subarray(start)).toString().split('\n')
  let fill = ''
  let path = ''
  const shapes = operators.map((line) => {
    const [operator = '', ...numbers] = line.split(' ').reverse()
    const values = numbers.reverse()
    if (operator === 'rg') fill = values.map((value) => `${100 * Number(value)}%`).join(',')
    if (operator in COMMANDS) path += `${COMMANDS[operator]}${values.join(' ')}`
    if (!/^f\*?$/.test(operator)) return ''
    const rule = operator === 'f*' ? 'evenodd' : 'nonzero'
    const shape = `<path fill="rgb(${fill})" fill-rule="${rule}" d="${path}"/>`
    path = ''
    return shape
  })
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
      `<g transform="matrix(1 0 0 -1 0 ${height})"><g transform="matrix(${transform.replace(' cm', '')})">` +
      `${shapes.join('')}</g></g></svg>`,
  )
}
