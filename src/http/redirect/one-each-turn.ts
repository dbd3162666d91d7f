import type { onRequestHookHandler } from 'fastify'

/**
 * Returns a hook that lets one request through per turn of the event loop, in order, so that a
 * burst of password guesses does not delay redirects.
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
