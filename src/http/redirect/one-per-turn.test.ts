import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { limitToOnePerTurn } from './one-per-turn.ts'

/**
 * Creates a hook, a function that passes it a request, and the list of requests that it has let
 * through.
 */
function createQueue() {
  const hook = limitToOnePerTurn()
  const passed: number[] = []
  const arrive = (id: number, onPassed = () => {}) =>
    Reflect.apply(hook, undefined, [
      {} as FastifyRequest,
      {} as FastifyReply,
      () => {
        passed.push(id)
        onPassed()
      },
    ])
  return { arrive, passed }
}

test('the hook lets one concurrent request through per turn, in order', async () => {
  const { arrive, passed } = createQueue()
  for (const id of [1, 2, 3]) arrive(id)
  expect(passed).toEqual([])
  for (const expected of [[1], [1, 2], [1, 2, 3]]) {
    await nextTurn()
    expect(passed).toEqual(expected)
  }
})

test('the hook queues later requests behind waiting requests', async () => {
  const { arrive, passed } = createQueue()
  arrive(1, () => arrive(3))
  arrive(2)
  await nextTurn()
  expect(passed).toEqual([1])
  await nextTurn()
  expect(passed).toEqual([1, 2])
  await nextTurn()
  expect(passed).toEqual([1, 2, 3])
})

test('after going idle, the hook lets a request through on the next turn', async () => {
  const { arrive, passed } = createQueue()
  arrive(1)
  await nextTurn()
  await nextTurn()
  await nextTurn()
  arrive(2)
  await nextTurn()
  expect(passed).toEqual([1, 2])
})

test('separate hooks do not wait for each other', async () => {
  const first = createQueue()
  const second = createQueue()
  for (const id of [1, 2]) {
    first.arrive(id)
    second.arrive(id)
  }
  await nextTurn()
  expect([first.passed, second.passed]).toEqual([[1], [1]])
})
