import { expect, test } from 'vitest'
import { replaceControls } from './startup.ts'

test('the terminal log keeps colors and line breaks', () => {
  const text = '\u001b[32mINFO\u001b[39m: ready\n\tworkers: 1\n'
  expect(replaceControls(text)).toBe(text)
})

test.each([
  ['a sequence that clears the screen', '\u001b[2Jx', '�[2Jx'],
  ['a sequence that sets the title', '\u001b]0;x\u0007', '�]0;x�'],
  ['a return that overwrites the line', 'all is well\rbad', 'all is well�bad'],
  ['a sequence with a one-byte start', '\u009b2J', '�2J'],
])('the terminal log replaces the control characters of %s', (_name, text, shown) => {
  expect(replaceControls(text)).toBe(shown)
})
