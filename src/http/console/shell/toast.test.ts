import { expect, test } from 'vitest'
import { readToast, toastBox } from './toast.ts'

test('a confirmation is read with what takes the change back', () => {
  expect(readToast('saved')).toEqual({ name: 'saved', undo: undefined })
  expect(readToast('linkDisabled.enable.12-13.')).toEqual({
    name: 'linkDisabled',
    undo: { action: 'enable', ids: [12, 13], tag: '' },
  })
  expect(readToast('.untag.12.a%2Eb')).toEqual({
    name: undefined,
    undo: { action: 'untag', ids: [12], tag: 'a.b' },
  })
})

test.each([
  '',
  'constructor',
  '<b>',
  'x.delete.1',
  'saved.delete.1',
  'saved.enable.0',
  'saved.enable.x',
])('nothing is taken back that was not offered: %j', (value) => {
  expect(readToast(value).undo).toBe(undefined)
})

test('texts are escaped, and no page shows a toast without one', () => {
  const around = { csrf: '"c"', path: '/console/links?q="' }
  const toast = readToast('.untag.12.%3Cb%3E')
  expect(toastBox({ ...around, toast })).toBe(null)
  const box = String(toastBox({ ...around, toast }, 'Tag <b> removed'))
  expect(box).toContain('Tag &lt;b&gt; removed')
  expect(box).toContain('value="&lt;b&gt;"')
  expect(box).toContain('value="/console/links?q=&quot;"')
})
