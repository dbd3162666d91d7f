/** Whether an address came before in the same file: not, leading to the same target, or to another. */
export type Seen = 'new' | 'same' | 'other'

const FIRST_SLOTS = 1 << 16
/** More addresses than that are no longer remembered, so that a huge file takes no more memory. */
const MOST = 3_000_000
const [PRIME, SEED] = [16_777_619, 2_166_136_261]

export type SeenRows = ReturnType<typeof createSeenRows>

/**
 * The addresses of a file so far, each with a hash of its target: twelve bytes an address and not
 * some hundred, so that a million of them fit beside everything else.
 */
export function createSeenRows() {
  let slots = FIRST_SLOTS
  let count = 0
  let table = new Uint32Array(3 * slots)

  /** Where the address is, or where it would be put. */
  function placeOf(high: number, low: number): number {
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = 3 * slot
      if (table[at] === 0 || (table[at] === high && table[at + 1] === low)) return at
    }
  }

  function put(high: number, low: number, target: number): void {
    table.set([high, low, target], placeOf(high, low))
  }

  function grow(): void {
    const old = table
    slots *= 2
    table = new Uint32Array(3 * slots)
    for (let at = 0; at < old.length; at += 3) {
      const [high = 0, low = 0, target = 0] = old.subarray(at, at + 3)
      if (high !== 0) put(high, low, target)
    }
  }

  /** Notes an address with its target, and says whether it came before; the first target counts. */
  return function see(address: string, url: string): Seen {
    // 0 stands for an empty slot.
    const [high, low] = [hash(address, SEED) || 1, hash(address, ~SEED)]
    const target = hash(url, SEED)
    const at = placeOf(high, low)
    if (table[at] !== 0) return table[at + 2] === target ? 'same' : 'other'
    if (count >= MOST) return 'new'
    put(high, low, target)
    count += 1
    if (2 * count > slots) grow()
    return 'new'
  }
}

/** FNV-1a over the code units, mixed once more, since its low bits alone are weak. */
function hash(text: string, seed: number): number {
  let sum = seed
  for (let index = 0; index < text.length; index += 1) {
    sum = Math.imul(sum ^ text.charCodeAt(index), PRIME)
  }
  sum = Math.imul(sum ^ (sum >>> 15), 0x2c1b3c6d)
  return (sum ^ (sum >>> 13)) >>> 0
}
