import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'

const ROOT = join(import.meta.dirname, '../../src/http')

const modules = globSync('{console,html,site/registration}/**/*.ts', { cwd: ROOT }).filter(
  (file) => !file.endsWith('.test.ts'),
)

test('no module reads a message while it loads, because the message would stay English', {
  timeout: 60_000,
}, async () => {
  vi.resetModules()
  const { runWithLocale } = await import('../../src/texts.ts')
  const locale = {
    get language(): never {
      throw new Error('a text is read while a module loads')
    },
  }
  const problems: string[] = []
  for (const module of modules) {
    await runWithLocale(locale, () => import(join(ROOT, module))).catch((error: Error) => {
      const sourcePath = /src\/http\/(?!console\/shell\/format)\S+/
      problems.push(`${module}: ${sourcePath.exec(error.stack ?? '')?.[0] ?? error.message}`)
    })
  }
  expect(problems).toEqual([])
  expect(modules.length).toBeGreaterThan(100)
})
