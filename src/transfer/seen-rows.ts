/**
 * Whether an address has occurred before in the same file, with the same or another destination.
 */
export type Seen = 'new' | 'same' | 'other'

const INITIAL_SLOTS = 1 << 16
/** The maximum number of addresses stored, which limits memory. */
const MAX_ADDRESSES = 3_000_000
// The constants of FNV-1a with 32 bits.
const PRIME = 16_777_619
const SEED = 2_166_136_261

export type SeenRows = ReturnType<typeof createSeenRows>

/**
 * Records the addresses in a file with hashes of their destinations. An entry takes twelve bytes
 * instead of a hundred, so that millions fit in memory.
 */
export function createSeenRows() {
  let slots = INITIAL_SLOTS
  let count = 0
  let table = new Uint32Array(3 * slots)

  /**
   * Returns the offset in `table` of the slot of an address, or of the free slot in which to store
   * it.
   */
  function findSlot(high: number, low: number): number {
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const offset = 3 * slot
      if (table[offset] === 0 || (table[offset] === high && table[offset + 1] === low))
        return offset
    }
  }

  function put(high: number, low: number, target: number): void {
    table.set([high, low, target], findSlot(high, low))
  }

  function grow(): void {
    const oldTable = table
    slots *= 2
    table = new Uint32Array(3 * slots)
    for (let offset = 0; offset < oldTable.length; offset += 3) {
      const [high = 0, low = 0, target = 0] = oldTable.subarray(offset, offset + 3)
      if (high !== 0) put(high, low, target)
    }
  }

  /**
   * Records an address with its destination, and returns whether it has occurred before. Only its
   * first destination is recorded.
   */
  return function markSeen(address: string, url: string): Seen {
    // The value 0 marks a free slot.
    const high = hash(address, SEED) || 1
    const low = hash(address, ~SEED)
    const target = hash(url, SEED)
    const offset = findSlot(high, low)
    if (table[offset] !== 0) return table[offset + 2] === target ? 'same' : 'other'
    if (count >= MAX_ADDRESSES) return 'new'
    put(high, low, target)
    count += 1
    if (2 * count > slots) grow()
    return 'new'
  }
}

/**
 * Computes FNV-1a over UTF-16 units, with an additional mixing step because its low bits are weak.
 */
function hash(text: string, seed: number): number {
  let digest = seed
  for (let index = 0; index < text.length; index += 1) {
    digest = Math.imul(digest ^ text.charCodeAt(index), PRIME)
  }
  // The multiplier is an arbitrary large odd number that mixes well.
  digest = Math.imul(digest ^ (digest >>> 15), 0x2c1b3c6d)
  return (digest ^ (digest >>> 13)) >>> 0
}
