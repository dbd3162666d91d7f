import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DOCUMENTS, updateDocument } from '../../bench/documents.ts'
import { toMarkdown } from '../../bench/results.ts'

const readText = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const results = JSON.parse(readText('bench/results.json'))

test.each(Object.keys(DOCUMENTS))('%s has the figures of bench/results.json', (name) => {
  const text = readText(name)
  const { sections } = results
  expect(text, 'run bin/node bench/update-documents.ts').toBe(updateDocument(name, text, sections))
})

test('bench/results.md has the figures of bench/results.json', () => {
  expect(readText('bench/results.md')).toBe(toMarkdown(results))
})
