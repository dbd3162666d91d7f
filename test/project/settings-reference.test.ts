import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createSettingsReference } from '../../scripts/settings-reference.ts'

const readText = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/settings.md matches .env.example (run bin/node scripts/settings-reference.ts to update it)', async () => {
  expect(await readText('docs/settings.md')).toBe(
    createSettingsReference(await readText('.env.example')),
  )
})
