import { describe, expect, test } from 'vitest'
import { renderResult } from './run.ts'

describe('renderResult for programs', () => {
  test('prints a result as one JSON object on one line', () => {
    const result = { id: 1, name: 'a\nb', list: [{ expires: null }] }
    const text = renderResult(result, true)
    expect(text.split('\n')).toHaveLength(2)
    expect(JSON.parse(text)).toEqual(result)
  })
})

describe('renderResult for people', () => {
  test('prints one line per field of an object', () => {
    expect(renderResult({ id: 1, suspended: false, expires: null }, false)).toBe(
      'id         1\nsuspended  no\nexpires    -\n',
    )
  })

  test('prints a list as a table with headings', () => {
    const keys = [
      { id: 1, prefix: 'brv_a', revoked: null },
      { id: 22, prefix: 'brv_abcdef', revoked: '2030-01-01 00:00:00' },
    ]
    expect(renderResult({ keys }, false)).toBe(
      [
        'id  prefix      revoked',
        '1   brv_a       -',
        '22  brv_abcdef  2030-01-01 00:00:00',
        '',
      ].join('\n'),
    )
  })

  test('prints the values of an object before its lists', () => {
    const files = [{ file: 'a.journal', clicks: 2 }]
    expect(renderResult({ journal: '/data', tags: ['x', 'y'], files }, false)).toBe(
      'journal  /data\ntags     x,y\nfile       clicks\na.journal  2\n',
    )
    expect(renderResult({ journal: '/data', files: [] }, false)).toBe('journal  /data\nno files\n')
  })

  test('prints that a list is empty', () => {
    expect(renderResult({ keys: [] }, false)).toBe('no keys\n')
  })

  test('prints a list of words on one line', () => {
    expect(renderResult({ applied: ['0001-schema', '0002-more'] }, false)).toBe(
      'applied: 0001-schema, 0002-more\n',
    )
  })

  test("replaces control characters and line breaks in users' texts", () => {
    const output = renderResult({ overlays: [{ name: 'a\u001b[2J\r\nb\u2028c\u009b1m' }] }, false)
    expect(output).toBe('name\na [2J b c 1m\n')
  })
})
