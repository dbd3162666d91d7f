import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { literalTexts } from '../support/literal-texts.ts'

const ROOT = join(import.meta.dirname, '../../src/http/console')

const files = globSync('**/*.{ts,js}', { cwd: ROOT }).filter(
  (file) => !/\.test\.ts$|messages\.ts$|\/messages\//.test(file),
)

test.for(files)('%s has no text outside of messages', (file) => {
  if (file === 'shell/language.ts') return
  const source = readFileSync(join(ROOT, file), 'utf8')
  expect(literalTexts(source, file.endsWith('.js') ? 'js' : 'ts')).toEqual([])
})
