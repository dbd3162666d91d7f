import type { TestApp } from './app.ts'

type Value = string | Blob | Buffer

/** Form values, including files. A list has one value per field with that name. */
export type Fields = Readonly<Record<string, Value | readonly Value[]>>

/** Submits a form like a browser: as multipart if it has files. */
export async function postForm(
  app: TestApp,
  url: string,
  fields: Fields,
  { cookie, address, language }: { cookie?: string; address?: string; language?: string } = {},
) {
  const form = new FormData()
  for (const [name, entry] of Object.entries(fields)) {
    for (const value of [entry].flat()) form.append(name, toFormPart(value as Value) as string)
  }
  const hasFiles = [...form.values()].some((value) => value instanceof File)
  const body = new Response(hasFiles ? form : new URLSearchParams([...form] as [string, string][]))
  return app.request({
    method: 'POST',
    url,
    ...(address && { remoteAddress: address }),
    headers: {
      'content-type': body.headers.get('content-type') ?? '',
      ...(cookie && { cookie }),
      ...(language && { 'accept-language': language }),
    },
    payload: Buffer.from(await body.arrayBuffer()),
  })
}

/** Opens a page and submits its form, with the cookies of the page besides `cookie`. */
export async function submitPageForm(
  app: TestApp,
  url: string,
  fields: Fields,
  { cookie = '', address }: { cookie?: string; address?: string } = {},
) {
  const page = await app.request({
    url,
    headers: { cookie },
    ...(address && { remoteAddress: address }),
  })
  const form = formOf(page)
  const cookies = [form.cookie, cookie].filter(Boolean).join('; ')
  return postForm(
    app,
    url,
    { csrf: form.csrf, ...fields },
    { cookie: cookies, ...(address && { address }) },
  )
}

function toFormPart(value: Value): string | Blob {
  if (!Buffer.isBuffer(value)) return value
  return new File([new Uint8Array(value)], 'image.png', { type: 'image/png' })
}

/** Returns the cookie and the hidden token of a form's page. */
export function formOf({ cookies, body }: Awaited<ReturnType<TestApp['request']>>) {
  return {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    csrf: /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '',
  }
}

/** Replaces the character references that pages contain. */
export function unescapeHtml(text = ''): string {
  const characters = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return text.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name: keyof typeof characters) => characters[name],
  )
}
