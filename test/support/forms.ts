import type { TestApp } from './app.ts'

/** Form values. A list has one value per field with that name. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

/** Submits a form like a browser. */
export function postForm(
  app: TestApp,
  url: string,
  fields: Fields,
  { cookie, address, language }: { cookie?: string; address?: string; language?: string } = {},
) {
  return app.request({
    method: 'POST',
    url,
    ...(address && { remoteAddress: address }),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(cookie && { cookie }),
      ...(language && { 'accept-language': language }),
    },
    payload: new URLSearchParams(pairsOf(fields)).toString(),
  })
}

/** Returns the cookie and the hidden token of a form's page. */
export function formOf({ cookies, body }: Awaited<ReturnType<TestApp['request']>>) {
  return {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    csrf: /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '',
  }
}

function pairsOf(fields: Fields): [string, string][] {
  return Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, String(value)]),
  )
}
