import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { renderXml, streamXmlList, type XmlData } from './reply.ts'

const meta = { client: '192.0.2.7', time: 1_936_076_889, code: 200 }
const dateTime = '2031-05-06 07:08:09'

const unlimited = Number.MAX_SAFE_INTEGER
const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
  processEntities: {
    enabled: true,
    maxTotalExpansions: unlimited,
    maxExpandedLength: unlimited,
  },
  isArray: (name) => name === 'url',
})

function parse(xml: string) {
  expect(XMLValidator.validate(xml)).toBe(true)
  return parser.parse(xml)
}

async function* yieldUrls(urls: Iterable<string>) {
  yield* urls
}

async function collect(urls: Iterable<string>): Promise<string> {
  return (await Array.fromAsync(streamXmlList({ ...meta, dateTime }, yieldUrls(urls)))).join('')
}

/** Replaces invalid XML 1.0 characters, independently of the code under test. */
function replaceInvalid(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0
    const isControl = code < 32 && !'\t\n\r'.includes(character)
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    return isControl || isSurrogate || code === 0xfffe || code === 0xffff ? '\uFFFD' : character
  }).join('')
}

const hostileText = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 5 }),
      fc.constantFrom(
        ']]>',
        '<![CDATA[',
        '<!--',
        '-->',
        '<?xml ?>',
        '<!DOCTYPE a [<!ENTITY b "c">]>',
      ),
      fc.constantFrom(
        '&amp;',
        '&#13;',
        '&#x0;',
        '&lt',
        '&',
        '&&amp;amp;',
        '&nbsp;',
        '%00',
        '</data>',
      ),
      fc.constantFrom('<script>alert(1)</script>', '"', "'", '" onload="x', '<', '>', '/>', '='),
      fc.constantFrom('\r\n', '\r', '\n', '\t', ' ', '   ', '\u0085', '\u2028', '\u00A0', '\uFEFF'),
      fc.constantFrom('\0', '\u0001', '\b', '\v', '\f', '\u001B', '\u001F', '\u007F', '\u009F'),
      fc.constantFrom('\uD800', '\uDFFF', '\uDBFF', '\uFFFE', '\uFFFF', '\uFFFD', '\u{1FFFE}'),
      fc.constantFrom(
        '\u202Eabc\u202C',
        'שלום',
        '👩‍👩‍👧‍👦',
        '🇩🇪',
        'é',
        '\u{10FFFF}',
        '__proto__',
        'true',
      ),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

describe('renderXml', () => {
  test('writes the fields in order inside message and response', () => {
    const data = {
      url_id: '7',
      total_visits: 0,
      has_password: false,
      enabled: true,
      last_accessed: '',
      expiry_date: null,
      date_time: dateTime,
    }
    expect(renderXml({ ...meta, data })).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>' +
        '<message client="192.0.2.7" time="1936076889"><response><code>200</code><data>' +
        '<url_id>7</url_id><total_visits>0</total_visits><has_password>false</has_password>' +
        '<enabled>true</enabled><last_accessed></last_accessed><expiry_date></expiry_date>' +
        '<date_time>2031-05-06 07:08:09</date_time></data></response></message>',
    )
  })

  test('writes a list as repeated elements', () => {
    const urls = [{ short_url: 'https://s.example/a' }, { short_url: 'https://s.example/b' }]
    expect(renderXml({ ...meta, data: { urls } })).toContain(
      '<data><urls><url><short_url>https://s.example/a</short_url></url>' +
        '<url><short_url>https://s.example/b</short_url></url></urls></data>',
    )
    expect(renderXml({ ...meta, data: { urls: [] } })).toContain('<data><urls></urls></data>')
  })

  test('escapes markup and whitespace that parsers would change', () => {
    expect(renderXml({ ...meta, data: { text: ' a]]>b&amp;<c>\r\n\t"\'' } })).toContain(
      '<text> a]]&gt;b&amp;amp;&lt;c&gt;&#13;&#10;&#9;&quot;&apos;</text>',
    )
    expect(renderXml({ ...meta, client: '"<\n>\'&true', data: {} })).toContain(
      ' client="&quot;&lt;&#10;&gt;&apos;&amp;true" ',
    )
  })

  test('writes the attribute value true', () => {
    expect(renderXml({ ...meta, client: 'true', data: {} })).toContain(' client="true" ')
  })

  test('replaces exactly the characters that XML does not allow', () => {
    const allowed = '\u007F\u0080\u009F\uD7FF\uE000\uFFFD\u{10000}\u{1FFFE}\u{10FFFF}'
    const xml = renderXml({ ...meta, data: { text: `\0a\uD83Db\uFFFE\uFFFF${allowed}` } })
    expect(xml).toContain(`<text>\uFFFDa\uFFFDb\uFFFD\uFFFD${allowed}</text>`)
  })

  test('has the same content as the JSON form for any strings', () => {
    fc.assert(
      fc.property(
        hostileText,
        hostileText,
        fc.array(hostileText, { maxLength: 3 }),
        (text, client, list) => {
          const data: XmlData = {
            text,
            flag: true,
            count: 12,
            urls: list.map((url) => ({ short_url: url, title: text })),
            date_time: dateTime,
          }
          const xml = renderXml({ client, time: meta.time, code: 404, data })
          const { message } = parse(xml)
          const clean = (value: unknown) =>
            typeof value === 'string' ? replaceInvalid(value) : value
          const json = JSON.parse(JSON.stringify(data), (_, value) => clean(value))
          expect(message['@_client']).toBe(replaceInvalid(client))
          expect(message['@_time']).toBe(String(meta.time))
          expect(message.response.code).toBe('404')
          expect(message.response.data).toEqual({
            ...json,
            flag: 'true',
            count: '12',
            urls: json.urls.length === 0 ? '' : { url: json.urls },
          })
          expect(xml.isWellFormed()).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('streamXmlList', () => {
  test('writes exactly what renderXml writes for the whole list', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostileText, { maxLength: 6 }),
        hostileText,
        async (urls, client) => {
          const chunks = streamXmlList({ ...meta, client, dateTime }, yieldUrls(urls))
          const list = urls.map((url) => ({ short_url: url }))
          expect((await Array.fromAsync(chunks)).join('')).toBe(
            renderXml({ ...meta, client, data: { urls: list, date_time: dateTime } }),
          )
        },
      ),
      { numRuns: 500 },
    )
  })

  test('writes an empty list', async () => {
    expect(await collect([])).toContain(`<urls></urls><date_time>${dateTime}</date_time>`)
  })

  test('writes 100,000 links in chunks of bounded size', async () => {
    const urls = Array.from({ length: 100_000 }, (_, index) => `https://s.example/${index}`)
    const lengths: number[] = []
    let text = ''
    for await (const chunk of streamXmlList({ ...meta, dateTime }, yieldUrls(urls))) {
      lengths.push(Buffer.byteLength(chunk))
      text += chunk
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(65_536)
    expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(16_384)
    const list = urls.map((url) => ({ short_url: url }))
    expect(text === renderXml({ ...meta, data: { urls: list, date_time: dateTime } })).toBe(true)
  })

  test('closes the source if the reader stops early', async () => {
    let isClosed = false
    async function* endless() {
      try {
        while (true) yield 'https://s.example/a'
      } finally {
        isClosed = true
      }
    }
    for await (const chunk of streamXmlList({ ...meta, dateTime }, endless())) {
      expect(chunk).toContain('https://s.example/a')
      break
    }
    expect(isClosed).toBe(true)
  })

  test('rejects with the error of its source', async () => {
    async function* failing() {
      yield 'https://s.example/a'
      throw new Error('connection lost')
    }
    const chunks = streamXmlList({ ...meta, dateTime }, failing())
    await expect(Array.fromAsync(chunks)).rejects.toThrow('connection lost')
  })
})
