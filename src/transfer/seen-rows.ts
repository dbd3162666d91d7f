import type { CheckedLink } from './check-record.ts'

/**
 * Whether an address has occurred before in the same file: with the same destination and settings,
 * with other settings, or with another destination.
 */
export type Seen = 'new' | 'same' | 'other settings' | 'other'

const INITIAL_SLOTS = 1 << 16
/** The number of words of an entry: two for its address, one for its destination, one for its settings. */
const WORDS = 4
/** The maximum number of addresses stored, which limits memory. */
const MAX_ADDRESSES = 3_000_000
// The constants of FNV-1a with 32 bits.
const PRIME = 16_777_619
const SEED = 2_166_136_261

export type SeenRows = ReturnType<typeof createSeenRows>

/**
 * Records the addresses in a file with hashes of their destinations and settings. An entry takes 16
 * bytes instead of hundreds, so that millions fit in memory.
 */
export function createSeenRows() {
  let slots = INITIAL_SLOTS
  let count = 0
  let table = new Uint32Array(WORDS * slots)

  /**
   * Returns the offset in `table` of the slot of an address, or of the free slot in which to store
   * it.
   */
  function findSlot(high: number, low: number): number {
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const offset = WORDS * slot
      if (table[offset] === 0 || (table[offset] === high && table[offset + 1] === low))
        return offset
    }
  }

  function put(high: number, low: number, target: number, settings: number): void {
    table.set([high, low, target, settings], findSlot(high, low))
  }

  function grow(): void {
    const oldTable = table
    slots *= 2
    table = new Uint32Array(WORDS * slots)
    for (let offset = 0; offset < oldTable.length; offset += WORDS) {
      const entry = oldTable.subarray(offset, offset + WORDS)
      const [high = 0, low = 0, target = 0, settings = 0] = entry
      if (high !== 0) put(high, low, target, settings)
    }
  }

  /**
   * Records an address with its destination and settings, and returns whether it has occurred before.
   * Only its first ones are recorded.
   */
  return function markSeen(address: string, url: string, settings: string): Seen {
    // The value 0 marks a free slot.
    const high = hash(address, SEED) || 1
    const low = hash(address, ~SEED)
    const target = hash(url, SEED)
    const settingsHash = hash(settings, SEED)
    const offset = findSlot(high, low)
    if (table[offset] !== 0) {
      if (table[offset + 2] !== target) return 'other'
      return table[offset + 3] === settingsHash ? 'same' : 'other settings'
    }
    if (count >= MAX_ADDRESSES) return 'new'
    put(high, low, target, settingsHash)
    count += 1
    if (2 * count > slots) grow()
    return 'new'
  }
}

/** Returns a text that is equal for links that differ in nothing but what decorates them. */
export function describeSettings({ row, usedClicks }: Pick<CheckedLink, 'row' | 'usedClicks'>) {
  const { alias: _a, url: _u, created_at: _c, archived_at, used_up_at: _e, ...settings } = row
  const { meta_title: _t, meta_description: _d, meta_image: _i, ...columns } = settings
  return JSON.stringify([columns, archived_at !== null, usedClicks])
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
