import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { newWriter, parseSegment, segmentFile, writerState } from './segment-name.ts'

describe('the name of a segment', () => {
  test('tells writer and sequence', () => {
    const writer = newWriter()
    expect(parseSegment(segmentFile(writer, 12))).toMatchObject({
      writer,
      sequence: 12,
      pid: process.pid,
    })
  })

  test('is different for every journal', () => {
    expect(newWriter()).not.toBe(newWriter())
  })

  test.each(['id', 'id.1a2b', 'x.clicks', '../1.2.00000000.00000000-00000001.clicks'])(
    '%s is none',
    (file) => {
      expect(parseSegment(file)).toBeUndefined()
    },
  )
})

describe('the writer of a segment', () => {
  test('is running while its process does', () => {
    expect(stateOf(newWriter())).toBe('running')
  })

  test('is gone when its process has ended', async () => {
    const child = spawn(process.execPath, ['--eval', ''])
    await once(child, 'exit')
    expect(stateOf(newWriter().replace(/^\d+/, String(child.pid)))).toBe('gone')
  })

  test('is gone when its number now belongs to another process', () => {
    const [pid, started, ...rest] = newWriter().split('.')
    expect(stateOf([pid, Number(started) - 1, ...rest].join('.'))).toBe('gone')
  })

  test('is unknown when it ran elsewhere', () => {
    const [pid, started, , id] = newWriter().split('.')
    expect(stateOf([pid, started, '00000000', id].join('.'))).toBe('unknown')
  })
})

function stateOf(writer: string) {
  const segment = parseSegment(segmentFile(writer, 1))
  return segment && writerState(segment)
}
