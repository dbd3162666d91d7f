import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { literalTexts } from '../support/literal-texts.ts'

const ROOT = join(import.meta.dirname, '../../src/http')

/** The page with the API key has a script and a command. */
const files = globSync(['console/**/*.{ts,js}', 'site/registration/*.ts'], { cwd: ROOT }).filter(
  (file) => !/\.test\.ts$|messages\.ts$/.test(file) && !file.endsWith('/key-page.ts'),
)

test.for(files)('%s has no text outside of the messages module', (file) => {
  const source = readFileSync(join(ROOT, file), 'utf8')
  expect(literalTexts(source, file.endsWith('.js') ? 'js' : 'ts')).toEqual([])
})
