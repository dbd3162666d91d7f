import sharp from 'sharp'
import type { TestApp } from './app.ts'
import { signedIn } from './console.ts'
import { readCode } from './read-code.ts'
import { appTest } from './test.ts'

/** A name with characters that are special in HTML, QR contents or bidirectional text. */
export const HOSTILE_NAME = '<b>"\'&;:,\\\u202E</b>'

export const baseStyle = { name: HOSTILE_NAME, foreground: '#143c5a', background: '#ffffff' }

/**
 * Returns a `test` for QR codes in the console: `person` is signed in as `owner`, and `otherPerson`
 * as the owner of another account.
 */
export function codesTest() {
  return appTest()
    .extend('person', { scope: 'file' }, ({ app, owner }) => signedIn(app, owner))
    .extend('otherPerson', { scope: 'file' }, async ({ app, make }) =>
      signedIn(app, await make.owner()),
    )
}

/** Returns the stored rows of an account's QR codes. */
export function getQrRows(app: TestApp, accountId: number) {
  const { db } = app.services.database
  return db.selectFrom('qr_codes').selectAll().where('account_id', '=', accountId).execute()
}

/** Returns the decoded content of the QR code on a preview page. */
export async function decodePreview(body: string): Promise<string | undefined> {
  const picture = /data:image\/svg\+xml;base64,([^"]+)"/.exec(body)?.[1] ?? ''
  return readCode(await sharp(Buffer.from(picture, 'base64'), { density: 144 }).png().toBuffer())
}
