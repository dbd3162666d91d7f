import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { oneEachTurn } from './one-each-turn.ts'

/** A hook and the requests it has let through. */
function gate() {
  const hook = oneEachTurn()
  const passed: number[] = []
  const come = (id: number, then = () => {}) =>
    Reflect.apply(hook, undefined, [
      {} as FastifyRequest,
      {} as FastifyReply,
      () => {
        passed.push(id)
        then()
      },
    ])
  return { come, passed }
}

test('processes one concurrent request per turn, in order', async () => {
  const { come, passed } = gate()
  for (const id of [1, 2, 3]) come(id)
  expect(passed).toEqual([])
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await nextTurn()
    expect(passed).toEqual(expected)
  }
})

test('queues later requests behind waiting ones', async () => {
  const { come, passed } = gate()
  come(1, () => come(3))
  come(2)
  await nextTurn()
  expect(passed).toEqual([1])
  await nextTurn()
  expect(passed).toEqual([1, 2])
  await nextTurn()
  expect(passed).toEqual([1, 2, 3])
})

test('processes a request immediately if none are waiting', async () => {
  const { come, passed } = gate()
  come(1)
  await nextTurn()
  await nextTurn()
  await nextTurn()
  come(2)
  await nextTurn()
  expect(passed).toEqual([1, 2])
})

test('routes do not wait for each other', async () => {
  const one = gate()
  const other = gate()
  for (const id of [1, 2]) {
    one.come(id)
    other.come(id)
  }
  await nextTurn()
  expect([one.passed, other.passed]).toEqual([[1], [1]])
})
