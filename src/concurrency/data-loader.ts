type Options<Key, Value> = {
  /** Loads the values of keys in one group, in the order of the keys. */
  load: (keys: readonly Key[], group: string) => Promise<readonly Value[]>
  /** The maximum number of keys per load. */
  maxKeys?: number
  /**
   * The maximum number of concurrent loads per group. Keys that arrive in the meantime are loaded
   * together afterward.
   */
  maxConcurrent?: number
}

type Group<Key, Value> = {
  waiting: { key: Key; result: PromiseWithResolvers<Value> }[]
  isScheduled: boolean
  running: number
}

/**
 * Creates a function that loads one value. Keys of the same group that are requested in the same
 * turn of the event loop are loaded together. Groups do not wait for each other. If a load fails,
 * all of its keys fail, and so do the keys of the group that are waiting for the next load.
 */
export function createDataLoader<Key, Value>({
  load,
  maxKeys = 100,
  maxConcurrent = 2,
}: Options<Key, Value>): (key: Key, group?: string) => Promise<Value> {
  const groups = new Map<string, Group<Key, Value>>()

  function schedule(name: string, group: Group<Key, Value>): void {
    if (group.isScheduled || group.running >= maxConcurrent) return
    if (group.waiting.length === 0) {
      if (group.running === 0) groups.delete(name)
      return
    }
    group.isScheduled = true
    // Runs after all requests of this turn.
    setImmediate(() => {
      group.isScheduled = false
      void loadNext(name, group)
      schedule(name, group)
    })
  }

  async function loadNext(name: string, group: Group<Key, Value>): Promise<void> {
    const batch = group.waiting.splice(0, maxKeys)
    group.running += 1
    try {
      const keys = batch.map(({ key }) => key)
      const values = await load(keys, name)
      for (const [index, { result }] of batch.entries()) result.resolve(values[index] as Value)
    } catch (error) {
      // Waiting keys fail too, so that no caller waits for two timeouts.
      for (const { result } of [...batch, ...group.waiting.splice(0)]) result.reject(error)
    } finally {
      group.running -= 1
      schedule(name, group)
    }
  }

  return (key, name = '') => {
    const result = Promise.withResolvers<Value>()
    const group = groups.get(name) ?? { waiting: [], isScheduled: false, running: 0 }
    groups.set(name, group)
    group.waiting.push({ key, result })
    schedule(name, group)
    return result.promise
  }
}
