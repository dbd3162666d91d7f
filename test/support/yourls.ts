import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import type { OwnerApp, Reply } from './api-client.ts'

export const YOURLS_PATH = '/yourls-api.php'

export type Fields = Record<string, string>

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

/** Returns a GET request with its parameters in the query. */
export function asQuery(fields: Fields): InjectOptions {
  return { method: 'GET', url: `${YOURLS_PATH}?${new URLSearchParams(fields)}` }
}

/** Returns a POST request with its parameters in a form. */
export function asForm(fields: Fields, query: Fields = {}): InjectOptions {
  const payload = new URLSearchParams(fields).toString()
  return { ...asQuery(query), method: 'POST', headers: formHeaders, payload }
}

/** Returns a POST request with its parameters in a multipart form. */
export function asMultipart(fields: Fields, query: Fields = {}): InjectOptions {
  const boundary = '----------------------------8dd1f0a3c5b2e71'
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  const payload = Buffer.from(`${parts.join('')}--${boundary}--\r\n`)
  return { ...asQuery(query), method: 'POST', headers, payload }
}

/** Returns a POST request with its parameters in a JSON object. */
export function asJson(fields: object, query: Fields = {}): InjectOptions {
  const headers = { 'content-type': 'application/json' }
  return { ...asQuery(query), method: 'POST', headers, payload: JSON.stringify(fields) }
}

/** Returns a function that calls the YOURLS API as `caller`, by default `owner`, for JSON replies. */
export function yourlsClient({ app, owner }: OwnerApp) {
  return (fields: Fields, caller = owner): Promise<Reply> =>
    app.request(asQuery({ signature: caller.key, format: 'json', ...fields }))
}

const parser = new XMLParser({ parseTagValue: false, trimValues: false, htmlEntities: true })

/** Returns the content of the root element of a well-formed XML reply. */
export function parseYourlsXml(xml: string): Record<string, unknown> {
  expect(XMLValidator.validate(xml)).toBe(true)
  return parser.parse(xml).root
}
