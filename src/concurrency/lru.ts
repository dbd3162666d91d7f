import { LRUCache } from 'lru-cache'

/**
 * The `max` values that were used last, by their keys; `dispose` is told which ones leave. It grows
 * with what it holds: given as the library's `max`, the room for 100,000 would be taken and filled at
 * once, 14 ms and 1.5 MB for each process that starts.
 */
export function createLru<Key extends string | number, Value extends NonNullable<unknown>>({
  max,
  dispose,
}: {
  max: number
  dispose?: (value: Value, key: Key) => void
}): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({
    maxSize: max,
    sizeCalculation: () => 1,
    ...(dispose && { dispose }),
  })
}
