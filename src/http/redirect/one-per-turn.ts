import type { onRequestHookHandler } from 'fastify'

/**
 * Returns a hook that lets one request through per turn of the event loop, in order. This keeps a
 * burst of password guesses from delaying redirects.
 */
export function limitToOnePerTurn(): onRequestHookHandler {
  const waiting: (() => void)[] = []
  let isRunning = false

  function runNext(): void {
    const proceed = waiting.shift()
    isRunning = proceed !== undefined
    if (!proceed) return
    setImmediate(runNext)
    proceed()
  }

  return (_request, _reply, done) => {
    waiting.push(done)
    if (isRunning) return
    isRunning = true
    setImmediate(runNext)
  }
}
