import type { TestApp } from './app.ts'

/** What is filled in, a list of texts where several fields have one name. */
export type Fields = Readonly<Record<string, string | readonly string[]>>

/** Sends a form as a browser does, by default from where requests of tests come from. */
export function postForm(
  app: TestApp,
  url: string,
  fields: Fields,
  { cookie, address }: { cookie?: string; address?: string } = {},
) {
  return app.request({
    method: 'POST',
    url,
    ...(address && { remoteAddress: address }),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(cookie && { cookie }),
    },
    payload: new URLSearchParams(pairsOf(fields)).toString(),
  })
}

/** What a form's page hands out for sending it: the cookie and the hidden token. */
export function formOf({ cookies, body }: Awaited<ReturnType<TestApp['request']>>) {
  return {
    cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
    csrf: /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? '',
  }
}

function pairsOf(fields: Fields): [string, string][] {
  return Object.entries(fields).flatMap(([name, given]) =>
    [given].flat().map((value): [string, string] => [name, String(value)]),
  )
}
