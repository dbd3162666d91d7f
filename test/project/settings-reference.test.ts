import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { settingsReference } from '../../scripts/settings-reference.ts'

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/settings.md matches .env.example (run bin/node scripts/settings-reference.ts to update it)', async () => {
  expect(await readText('docs/settings.md')).toBe(settingsReference(await readText('.env.example')))
})
