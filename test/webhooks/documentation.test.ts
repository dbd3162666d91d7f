import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createSignedHeaders, generateSecret } from '../../src/webhooks/sign.ts'

const PAGE = new URL('../../docs/webhooks.md', import.meta.url)

/** The example: returns whether a message is from this service. */
type IsOurs = (secret: string, headers: Record<string, string>, body: string) => boolean

/** Extracts the example function from the page. */
async function readExample(): Promise<IsOurs> {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(PAGE, 'utf8')) ?? []
  const folder = await mkdtemp(join(tmpdir(), 'brevis-webhooks-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'example.mjs')
  await writeFile(file, code)
  return (await import(pathToFileURL(file).href)).isOurs
}

test('the documented example accepts only authentic signatures', async () => {
  const isOurs = await readExample()
  const secret = generateSecret()
  const old = generateSecret()
  const body = '{"type":"link.created","data":{"alias":"größe"}}'
  const now = Math.floor(Date.now() / 1000)
  const sign = (secrets: string[], timestamp = now) =>
    createSignedHeaders(secrets, { id: 'msg_1', timestamp, body })
  expect(isOurs(secret, sign([secret]), body)).toBe(true)
  expect(isOurs(old, sign([secret, old]), body)).toBe(true)
  expect(isOurs(secret, sign([old]), body)).toBe(false)
  expect(isOurs(secret, sign([secret]), `${body} `)).toBe(false)
  expect(isOurs(secret, { ...sign([secret]), 'webhook-id': 'msg_2' }, body)).toBe(false)
  expect(isOurs(secret, sign([secret], now - 3600), body)).toBe(false)
  expect(isOurs(secret, {}, body)).toBe(false)
})
