type Options<Key, Value> = {
  /** Reads the values of some keys, in their order. */
  load: (keys: readonly Key[]) => Promise<readonly Value[]>
  /** Keys that are read together, at most. */
  most?: number
  /** Reads under way at the same time, at most; keys that come meanwhile are read together after them. */
  atOnce?: number
}

/**
 * Makes a function that reads one value, where all that are asked for in one turn of the event loop are
 * read together. If reading fails, it fails for all of those, and for who waits to be read next.
 */
export function createDataLoader<Key, Value>({
  load,
  most = 100,
  atOnce = 2,
}: Options<Key, Value>): (key: Key) => Promise<Value> {
  const waiting: { key: Key; answer: PromiseWithResolvers<Value> }[] = []
  let isScheduled = false
  let running = 0

  function schedule(): void {
    if (isScheduled || running >= atOnce || waiting.length === 0) return
    isScheduled = true
    // After everything that this turn has received.
    setImmediate(() => {
      isScheduled = false
      void read(waiting.splice(0, most))
      schedule()
    })
  }

  async function read(asked: typeof waiting): Promise<void> {
    running += 1
    try {
      const values = await load(asked.map(({ key }) => key))
      for (const [index, { answer }] of asked.entries()) answer.resolve(values[index] as Value)
    } catch (error) {
      // Who waits behind it fails with it, so that nobody waits for two timeouts.
      for (const { answer } of [...asked, ...waiting.splice(0)]) answer.reject(error)
    } finally {
      running -= 1
      schedule()
    }
  }

  return (key) => {
    const answer = Promise.withResolvers<Value>()
    waiting.push({ key, answer })
    schedule()
    return answer.promise
  }
}
