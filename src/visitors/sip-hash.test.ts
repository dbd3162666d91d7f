import { expect, test } from 'vitest'
import { createSipHash } from './sip-hash.ts'

const key = Uint8Array.from({ length: 16 }, (_, index) => index)
const message = Uint8Array.from({ length: 64 }, (_, index) => index)

/** Hashes of messages of these lengths, from the reference implementation. */
test.each([
  [0, 0x726f_db47_dd0e_0e31n],
  [1, 0x74f8_39c5_93dc_67fdn],
  [2, 0x0d6c_8009_d9a9_4f5an],
  [3, 0x8567_6696_d7fb_7e2dn],
  [7, 0xab02_00f5_8b01_d137n],
  [8, 0x93f5_f579_9a93_2462n],
  [15, 0xa129_ca61_49be_45e5n],
  [16, 0x3f2a_cc7f_57c2_9bdbn],
  [63, 0x958a_324c_eb06_4572n],
])(
  'the hash of %i bytes is SipHash-2-4, as in the reference implementation',
  (length, expected) => {
    expect(BigInt.asUintN(64, createSipHash(key)(message, length))).toBe(expected)
  },
)

test('the hash depends only on the first bytes, up to the given length', () => {
  const sipHash = createSipHash(key)
  expect(sipHash(new Uint8Array(16).fill(9), 5)).toBe(sipHash(new Uint8Array(5).fill(9), 5))
  expect(sipHash(new Uint8Array(5), 5)).not.toBe(sipHash(new Uint8Array(6), 6))
})

test('a key of another length is rejected', () => {
  expect(() => createSipHash(new Uint8Array(15))).toThrow('16 bytes')
})
