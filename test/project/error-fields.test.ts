import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFieldLabel } from '../../src/http/console/shell/describe-error.ts'
import { FIELD_NAMES } from '../../src/links/fields.ts'
import { runWithLocale } from '../../src/texts.ts'
import { errorFieldsOf } from '../support/error-texts.ts'

const SOURCE = join(import.meta.dirname, '../../src')

/** Modules whose errors are not shown in the console, or name columns of a file. */
const NOT_IN_CONSOLE =
  /^(?:cli|backup|edge|process|embedded-postgres|transfer\/(?:check-record|history|password-hash)|http\/(?:(?:[a-z]+-)?api|mcp)|link-check)\b/

const files = globSync('**/*.ts', { cwd: SOURCE }).filter(
  (file) => !file.endsWith('.test.ts') && !NOT_IN_CONSOLE.test(file),
)

test.for(['en', 'de'] as const)(
  'every field that errors name has a label in the console in the language %s',
  (language) => {
    const fields = files.flatMap((file) => errorFieldsOf(readFileSync(join(SOURCE, file), 'utf8')))
    // Fields named by an expression are link fields, or inputs that show the error themselves.
    const named = fields
      .filter((field) => /^\w/.test(field))
      .map((field) => field.replaceAll('{}', '0'))
    const missing = new Set([...named, ...FIELD_NAMES]).values().filter((field) => {
      return runWithLocale({ language }, () => findFieldLabel(field)) === undefined
    })
    expect([...missing]).toEqual([])
    expect(new Set(named).size).toBeGreaterThan(40)
  },
)
