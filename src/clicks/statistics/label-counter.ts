import { LAST_KIND, listedKinds } from '../encoding/label-kinds.ts'

/** Labels with numbers below this are counted in arrays, which is five times as fast as a map. */
const ARRAY_LENGTH = 1 << 20

/** Creates a counter of the labels of clicks, for all kinds that have a list. */
export function createLabelCounter() {
  const kinds = Int32Array.from(listedKinds, ({ number }) => number)
  const counts = Array.from({ length: LAST_KIND + 1 }, () => new Uint32Array(64))
  const largeCounts = Array.from({ length: LAST_KIND + 1 }, () => new Map<number, number>())

  /** Counts the labels of a click, which are indexed by kind number. */
  function add(labels: Int32Array): void {
    for (let index = 0; index < kinds.length; index += 1) {
      const kind = kinds[index] as number
      const label = labels[kind] as number
      const array = counts[kind] as Uint32Array
      if (label < array.length) array[label] = (array[label] as number) + 1
      else addLarge(kind, label)
    }
  }

  function addLarge(kind: number, label: number): void {
    if (label >= ARRAY_LENGTH) {
      const map = largeCounts[kind]
      map?.set(label, (map.get(label) ?? 0) + 1)
      return
    }
    const longer = new Uint32Array(2 ** Math.ceil(Math.log2(label + 1)))
    longer.set(counts[kind] ?? [])
    longer[label] = 1
    counts[kind] = longer
  }

  /** Returns the clicks of each label of a kind. */
  function labelsOf(kind: number): Map<number, number> {
    const found = new Map(largeCounts[kind])
    for (const [label, clicks] of counts[kind]?.entries() ?? []) {
      if (clicks > 0) found.set(label, clicks)
    }
    return found
  }

  return { add, labelsOf }
}
