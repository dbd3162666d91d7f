import type { TestApp } from './app.ts'
import { formOf } from './forms.ts'

type Value = string | Buffer
type Person = { cookie: string; open: (url: string) => ReturnType<TestApp['request']> }

/** Submits a form with files like a browser. A list has one part per value. */
export async function sendFiles(
  app: TestApp,
  person: Person,
  url: string,
  fields: Readonly<Record<string, Value | readonly Value[]>>,
) {
  const body = new FormData()
  body.append('csrf', formOf(await person.open('/console')).csrf)
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat() as Value[]) {
      if (typeof value === 'string') body.append(name, value)
      else body.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'image.png')
    }
  }
  const sent = new Response(body)
  return app.request({
    method: 'POST',
    url,
    headers: { cookie: person.cookie, 'content-type': sent.headers.get('content-type') ?? '' },
    payload: Buffer.from(await sent.arrayBuffer()),
  })
}
