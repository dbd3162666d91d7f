type Options<Key, Value> = {
  /** Loads the values of some keys of a group, in their order. */
  load: (keys: readonly Key[], group: string) => Promise<readonly Value[]>
  /** The most keys in one load. */
  most?: number
  /** The most loads of a group that run at once. Keys that arrive meanwhile are loaded together after them. */
  atOnce?: number
}

type Group<Key, Value> = {
  waiting: { key: Key; answer: PromiseWithResolvers<Value> }[]
  isScheduled: boolean
  running: number
}

/**
 * Creates a function that loads one value. Keys of one group that are asked for in one turn of the event
 * loop are loaded together; groups do not wait for each other. If a load fails, it fails for all of its
 * keys, and for those of the group that wait for the next one.
 */
export function createDataLoader<Key, Value>({
  load,
  most = 100,
  atOnce = 2,
}: Options<Key, Value>): (key: Key, group?: string) => Promise<Value> {
  const groups = new Map<string, Group<Key, Value>>()

  function schedule(name: string, group: Group<Key, Value>): void {
    if (group.isScheduled || group.running >= atOnce) return
    if (group.waiting.length === 0) {
      if (group.running === 0) groups.delete(name)
      return
    }
    group.isScheduled = true
    // After everything that this turn has received.
    setImmediate(() => {
      group.isScheduled = false
      void loadNext(name, group)
      schedule(name, group)
    })
  }

  async function loadNext(name: string, group: Group<Key, Value>): Promise<void> {
    const asked = group.waiting.splice(0, most)
    group.running += 1
    try {
      const keys = asked.map(({ key }) => key)
      const values = await load(keys, name)
      for (const [index, { answer }] of asked.entries()) answer.resolve(values[index] as Value)
    } catch (error) {
      // Those behind it fail as well, so that nobody waits for two timeouts.
      for (const { answer } of [...asked, ...group.waiting.splice(0)]) answer.reject(error)
    } finally {
      group.running -= 1
      schedule(name, group)
    }
  }

  return (key, name = '') => {
    const answer = Promise.withResolvers<Value>()
    const group = groups.get(name) ?? { waiting: [], isScheduled: false, running: 0 }
    groups.set(name, group)
    group.waiting.push({ key, answer })
    schedule(name, group)
    return answer.promise
  }
}
