import sharp from 'sharp'
import { createSession } from '../../src/accounts/session.service.ts'
import type { TestApp } from './app.ts'
import { personWith } from './console.ts'
import { formOf } from './forms.ts'
import type { Owner } from './make.ts'
import { readCode } from './read-code.ts'
import { appTest } from './test.ts'

export const HOSTILE = '<b>"\'&;:,\\\u202E</b>'

export const baseStyle = { name: HOSTILE, foreground: '#143c5a', background: '#ffffff' }

/** Tests of QR codes in the console: `setup` has signed-in users, one of them as `owner`. */
export function codesTest() {
  return appTest().extend('setup', { scope: 'file' }, async ({ app, make, owner }) => ({
    person: await begin(app, owner),
    otherPerson: await begin(app, await make.owner()),
  }))
}

/** Signs in a user without the form, which is rate-limited per address. */
export async function begin(app: TestApp, owner: Owner) {
  return personWith(
    app,
    `brevis_session=${await createSession(app.services, app.services.db, owner.account.id)}`,
  )
}

export function rowsOf(app: TestApp, accountId: number) {
  const { db } = app.services.database
  return db.selectFrom('qr_codes').selectAll().where('account_id', '=', accountId).execute()
}

/** Sends a multipart form like a browser. */
export async function sendMultipart(
  app: TestApp,
  cookie: string,
  url: string,
  fields: Record<string, string | Blob>,
) {
  const page = await app.request({ url: '/console', headers: { cookie } })
  const form = new FormData()
  for (const [name, value] of Object.entries({ csrf: formOf(page).csrf, ...fields })) {
    form.set(name, value)
  }
  const encoded = new Response(form)
  return app.request({
    method: 'POST',
    url,
    headers: { cookie, 'content-type': encoded.headers.get('content-type') ?? '' },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
}

/** Returns what a reader decodes from the image of a preview. */
export async function scanned(body: string): Promise<string | undefined> {
  const picture = /data:image\/svg\+xml;base64,([^"]+)"/.exec(body)?.[1] ?? ''
  return readCode(await sharp(Buffer.from(picture, 'base64'), { density: 144 }).png().toBuffer())
}
