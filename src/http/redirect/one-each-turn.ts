import type { onRequestHookHandler } from 'fastify'

/**
 * Lets the requests of a route through one in each turn of the event loop, in their order: many that
 * come at once, such as guesses at a password, are then answered between redirects and not before them.
 */
export function oneEachTurn(): onRequestHookHandler {
  const waiting: (() => void)[] = []
  let turning = false

  function next(): void {
    const proceed = waiting.shift()
    turning = proceed !== undefined
    if (!proceed) return
    setImmediate(next)
    proceed()
  }

  return (_request, _reply, done) => {
    waiting.push(done)
    if (turning) return
    turning = true
    setImmediate(next)
  }
}
