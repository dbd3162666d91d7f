import { expect, test } from 'vitest'
import { replaceControls } from './terminal-log.ts'

test('keeps colors and line breaks', () => {
  const text = '\u001b[32mINFO\u001b[39m: ready\n\tworkers: 1\n'
  expect(replaceControls(text)).toBe(text)
})

test.each([
  ['a cursor that moves', '\u001b[2Jx', '�[2Jx'],
  ['a title that is set', '\u001b]0;x\u0007', '�]0;x�'],
  ['a line that is written over', 'all is well\rbad', 'all is well�bad'],
  ['a control of one byte', '\u009b2J', '�2J'],
])('makes %s visible', (_what, text, shown) => {
  expect(replaceControls(text)).toBe(shown)
})
