import { expect, test } from 'vitest'
import { parseToast, renderToastBox } from './toast.ts'

test('a toast is a confirmation with its undo action', () => {
  expect(parseToast('saved')).toEqual({ name: 'saved', undo: undefined })
  expect(parseToast('linkDisabled.12')).toEqual({ name: 'linkDisabled', undo: 12 })
  expect(parseToast('.12')).toEqual({ name: undefined, undo: 12 })
})

test.each(['', 'constructor', '<b>', 'x.0', 'saved.-1', 'saved.1e3', `saved.${'9'.repeat(16)}`])(
  'the toast %j offers no undo',
  (value) => {
    expect(parseToast(value).undo).toBe(undefined)
  },
)

test('a toast escapes its text, and is not rendered without a text', () => {
  const context = { csrf: '"c"', path: '/console/links?q="' }
  const toast = parseToast('.12')
  expect(renderToastBox({ ...context, toast })).toBe(null)
  const box = String(renderToastBox({ ...context, toast }, 'Tag <b> removed'))
  expect(box).toContain('Tag &lt;b&gt; removed')
  expect(box).toContain('name="id" value="12"')
  expect(box).toContain('value="/console/links?q=&quot;"')
})
