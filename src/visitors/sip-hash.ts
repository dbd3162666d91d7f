const KEY_BYTES = 16
const BLOCK_BYTES = 8

/**
 * Creates SipHash-2-4 with a key of 16 bytes. It is a 64-bit hash for short messages that is
 * unpredictable without the key (J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input
 * PRF", 2012). The function hashes the first `length` bytes of a message and returns a signed
 * number. JavaScript has no fast 64-bit integers, so each is stored as two 32-bit halves, high half
 * first.
 */
export function createSipHash(key: Uint8Array): (message: Uint8Array, length: number) => bigint {
  if (key.length !== KEY_BYTES) throw new Error(`a SipHash key has ${KEY_BYTES} bytes`)
  // The key, as four 32-bit words.
  const [k0, k1, k2, k3] = [0, 4, 8, 12].map((at) => readWord(key, at, key.length)) as Key
  const halves = new DataView(new ArrayBuffer(BLOCK_BYTES))

  return (message, length) => {
    // The letters a to d are the paper's v0 to v3, 1 is the high half and 0 the low half. The
    // constants are the paper's, the text "somepseudorandomlygeneratedbytes".
    let a1 = k1 ^ 0x736f6d65
    let a0 = k0 ^ 0x70736575
    let b1 = k3 ^ 0x646f7261
    let b0 = k2 ^ 0x6e646f6d
    let c1 = k1 ^ 0x6c796765
    let c0 = k0 ^ 0x6e657261
    let d1 = k3 ^ 0x74656462
    let d0 = k2 ^ 0x79746573
    const last = length - (length % BLOCK_BYTES)
    for (let at = 0; at <= last + BLOCK_BYTES; at += BLOCK_BYTES) {
      const isEnd = at > last
      const m0 = isEnd ? 0 : readWord(message, at, length)
      let m1 = isEnd ? 0 : readWord(message, at + 4, length)
      // The last block ends with the length. After it come the final rounds.
      if (at === last) m1 |= length << 24
      if (isEnd) c0 ^= 0xff
      d0 ^= m0
      d1 ^= m1
      for (let round = isEnd ? 4 : 2; round > 0; round -= 1) {
        let h = 0
        let l = (a0 + b0) | 0
        a1 = (a1 + b1 + carry(l, b0)) | 0
        a0 = l
        h = (b1 << 13) | (b0 >>> 19)
        b0 = ((b0 << 13) | (b1 >>> 19)) ^ a0
        b1 = h ^ a1
        h = a0
        a0 = a1
        a1 = h
        l = (c0 + d0) | 0
        c1 = (c1 + d1 + carry(l, d0)) | 0
        c0 = l
        h = (d1 << 16) | (d0 >>> 16)
        d0 = ((d0 << 16) | (d1 >>> 16)) ^ c0
        d1 = h ^ c1
        l = (a0 + d0) | 0
        a1 = (a1 + d1 + carry(l, d0)) | 0
        a0 = l
        h = (d1 << 21) | (d0 >>> 11)
        d0 = ((d0 << 21) | (d1 >>> 11)) ^ a0
        d1 = h ^ a1
        l = (c0 + b0) | 0
        c1 = (c1 + b1 + carry(l, b0)) | 0
        c0 = l
        h = (b1 << 17) | (b0 >>> 15)
        b0 = ((b0 << 17) | (b1 >>> 15)) ^ c0
        b1 = h ^ c1
        h = c0
        c0 = c1
        c1 = h
      }
      a0 ^= m0
      a1 ^= m1
    }
    halves.setInt32(0, a1 ^ b1 ^ c1 ^ d1)
    halves.setInt32(4, a0 ^ b0 ^ c0 ^ d0)
    return halves.getBigInt64(0)
  }
}

type Key = [number, number, number, number]

/** Returns the carry of a 32-bit sum, given the sum and one summand. */
function carry(sum: number, part: number): number {
  return sum >>> 0 < part >>> 0 ? 1 : 0
}

/** Reads four bytes in little-endian order, with zeros after `length`. */
function readWord(bytes: Uint8Array, at: number, length: number): number {
  if (at + 4 <= length) {
    const first = bytes[at] as number
    const second = bytes[at + 1] as number
    const third = bytes[at + 2] as number
    const fourth = bytes[at + 3] as number
    return first | (second << 8) | (third << 16) | (fourth << 24)
  }
  let word = 0
  for (let index = Math.min(at + 4, length) - 1; index >= at; index -= 1) {
    word |= (bytes[index] as number) << (8 * (index - at))
  }
  return word
}
