import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { readBotsFile } from './bots-file.ts'
import { createClientClassifier } from './crawler.ts'

/** Creates a file with this content for the duration of the test. */
function createFile(content: unknown): string {
  const folder = mkdtempSync(join(scratchFolder(), 'brevis-bots-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'bots.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test('names of a file are classified by their kind', () => {
  const names = { crawler: ['Example.Bee'], monitor: ['Example Check'], preview: ['^Sample/'] }
  const { classify } = createClientClassifier(readBotsFile(createFile(names)))
  expect(
    [
      'Mozilla/5.0 (compatible; example.bee/2)',
      'ExampleXBee',
      'Example.Beetle',
      'Go-http-client/1.1 (example check)',
      'Sample/1.0',
      'Mozilla/5.0 Sample/1.0',
      'Mozilla/5.0 (compatible; Googlebot/2.1)',
    ].map(classify),
  ).toEqual(['crawler', 'person', 'person', 'monitor', 'preview', 'person', 'crawler'])
})

test('without a file, there are no names', () => {
  expect(readBotsFile('')).toEqual({})
  expect(readBotsFile(createFile({}))).toEqual({})
})

const many = (count: number) => Array.from({ length: count }, (_, index) => `Example${index}`)

test.each([
  ['{', 'cannot be read'],
  [['ExampleBot'], 'must be an object with lists of names: preview, crawler, monitor'],
  [null, 'must be an object with lists of names'],
  [{ crawlers: ['ExampleBot'] }, "'crawlers' must be one of preview, crawler, monitor"],
  [{ crawler: 'ExampleBot' }, 'crawler must be a list of names'],
  [{ crawler: [5] }, '5 in crawler must be text of printable ASCII characters'],
  [{ monitor: ['Beispiel\n'] }, '"Beispiel\\n" in monitor must be text'],
  [{ monitor: ['Prüfer'] }, '"Prüfer" in monitor must be text'],
  [{ preview: ['^ab'] }, '"^ab" in preview must have 3 to 100 characters'],
  [{ preview: ['a'.repeat(101)] }, 'must have 3 to 100 characters'],
  [{ crawler: ['Chrome'] }, '"Chrome" in crawler matches a browser'],
  [{ crawler: ['^Mozilla/5.0'] }, 'matches a browser'],
  [{ crawler: ['iPhone'] }, 'matches a browser'],
  [{ crawler: many(900), preview: many(101) }, 'must have at most 1000 names'],
])('a file with %j is rejected', (content, message) => {
  const file = createFile(content)
  expect(() => readBotsFile(file)).toThrow(`BOTS_FILE ${file}`)
  expect(() => readBotsFile(file)).toThrow(message)
})

test('a file that is missing is rejected', () => {
  expect(() => readBotsFile('/nonexistent/bots.json')).toThrow(
    'BOTS_FILE /nonexistent/bots.json cannot be read: ENOENT',
  )
})
