import sharp from 'sharp'
import type { TestApp } from './app.ts'
import { signedIn } from './console.ts'
import { readCode } from './read-code.ts'
import { appTest } from './test.ts'

export const HOSTILE_NAME = '<b>"\'&;:,\\\u202E</b>'

export const baseStyle = { name: HOSTILE_NAME, foreground: '#143c5a', background: '#ffffff' }

/**
 * Returns a `test` for QR codes in the console: `setup` has signed-in users, one of them as
 * `owner`.
 */
export function codesTest() {
  return appTest().extend('setup', { scope: 'file' }, async ({ app, make, owner }) => ({
    person: await signedIn(app, owner),
    otherPerson: await signedIn(app, await make.owner()),
  }))
}

export function getQrRows(app: TestApp, accountId: number) {
  const { db } = app.services.database
  return db.selectFrom('qr_codes').selectAll().where('account_id', '=', accountId).execute()
}

/** Returns the content decoded from the image of a preview. */
export async function decodePreview(body: string): Promise<string | undefined> {
  const picture = /data:image\/svg\+xml;base64,([^"]+)"/.exec(body)?.[1] ?? ''
  return readCode(await sharp(Buffer.from(picture, 'base64'), { density: 144 }).png().toBuffer())
}
