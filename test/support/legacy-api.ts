import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import type { OwnerApp } from './api-client.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

export const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Calls the legacy API with `key`. `path` is the part after `shorturl/`. */
export function callLegacyApi(
  app: TestApp,
  key: string,
  path: string,
  options: Partial<InjectOptions> = {},
) {
  return app.request({ url: `/api/v1/${key}/shorturl/${path}`, ...options })
}

/** Returns functions for calls of the legacy API as `caller`, by default `owner`. */
export function legacyApiClient({ app, owner }: OwnerApp) {
  const call = (path: string, caller = owner) => callLegacyApi(app, caller.key, path)
  return {
    call,
    /** Creates a link with the `path` after `create/`, and returns the reply's `data`. */
    async create(path: string, caller?: Owner) {
      const reply = await call(`create/${path}.json`, caller)
      expect([reply.statusCode, reply.json().code]).toEqual([200, 200])
      return reply.json().data as Record<string, string> & { url_id: string; short_url: string }
    },
    /** Returns the `data` of a link's `info`. */
    async getInfo(shortUrl: string, caller?: Owner) {
      const reply = await call(`info/short_url/${base64(shortUrl)}.json`, caller)
      expect(reply.statusCode).toBe(200)
      return reply.json().data
    },
  }
}

const parser = new XMLParser({
  ignoreAttributes: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => name === 'url',
})

/** Parses a reply, and expects well-formed XML. Every value is a string. */
export function readXml(xml: string) {
  expect(XMLValidator.validate(xml)).toBe(true)
  const document = parser.parse(xml)
  expect(document['?xml']).toEqual({ '@_version': '1.0', '@_encoding': 'UTF-8' })
  const { '@_client': client, '@_time': time, response } = document.message
  return { client, time, ...response } as {
    client: string
    time: string
    code: string
    data: Record<string, unknown>
  }
}

/** Converts JSON data to its XML equivalent, with every value as text. */
export function asText(data: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]))
}
