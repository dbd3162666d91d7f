import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { runWithLocale } from '../../src/texts.ts'
import { visibleText } from '../fixtures/visible-text.ts'
import type { TestApp } from '../support/app.ts'
import { createResource, fillPath, pathPrefix } from '../support/console-resources.ts'
import type { Owner } from '../support/make.ts'
import { listRoutes } from '../support/route-table.ts'
import { appTest } from '../support/test.ts'

const SOURCE_FOLDER = join(import.meta.dirname, '../../src/http')

// Without these settings, some pages would not exist.
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'brevis@brev.test' }
const PROVIDER = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'brevis' }

const test = appTest({ env: { ...MAIL, ...PROVIDER } })

test('pages show no English messages to a German user', async ({ app, owner }) => {
  const { db } = app.services
  await db.updateTable('users').set({ language: 'de' }).execute()
  const token = await createSession(scopeOf(app.services, owner.account.id))
  const english = await listEnglishMessages()
  const headers = { cookie: `brevis_session=${token}`, 'accept-language': 'de' }
  const problems: string[] = []
  let checked = 0
  for (const [url, path] of await listPages(app, owner)) {
    const reply = await app.request({ url: path, headers })
    if (!String(reply.headers['content-type']).startsWith('text/html')) continue
    checked += 1
    if (!reply.body.includes('<html lang="de">')) problems.push(`${url}: is not in German`)
    const texts = visibleText(reply.body).split('\n')
    const englishTexts = texts.filter((text) => english.has(text))
    problems.push(...new Set(englishTexts.map((text) => `${url}: ${text}`)))
  }
  expect(problems.join('\n')).toBe('')
  expect(checked).toBeGreaterThan(60)
})

/** Creates a resource of each kind, and returns the path of each page by its route. */
async function listPages(app: TestApp, owner: Owner): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  for (const { method, url } of listRoutes(app.fastify)) {
    if (method !== 'GET' || !/^\/(?:console|register)(?:\/|$)/.test(url)) continue
    // Live feeds never end, and assets are files.
    if (url.endsWith('/live') || url.includes('/assets/')) continue
    pages.set(url, pathPrefix(url) ? fillPath(url, await createResource(app, owner, url)) : url)
  }
  return pages
}

/** Returns the English messages that are not also German messages. */
async function listEnglishMessages(): Promise<Set<string>> {
  const files = globSync('{console,site}/**/*messages.ts', { cwd: SOURCE_FOLDER })
  const modules = await Promise.all(files.map((file) => import(join(SOURCE_FOLDER, file))))
  const [english, german] = (['en', 'de'] as const).map((language) =>
    runWithLocale({ language }, () => new Set(modules.flatMap(listTexts))),
  )
  return english?.difference(german ?? new Set()) ?? new Set()
}

/** Returns all strings in a value, however deeply nested. */
function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}
