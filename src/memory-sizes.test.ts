import { expect, test } from 'vitest'
import { chooseSizes } from './memory-sizes.ts'

const MIB = 2 ** 20

test.each([
  [256 * MIB, { sharedBuffersMib: 32, cachedLinks: 20_000 }],
  [512 * MIB, { sharedBuffersMib: 64, cachedLinks: 20_000 }],
  [1024 * MIB, { sharedBuffersMib: 128, cachedLinks: 100_000 }],
  [24_000 * MIB, { sharedBuffersMib: 256, cachedLinks: 100_000 }],
])('with %d bytes of memory, buffers and caches fit', (bytes, sizes) => {
  expect(chooseSizes(bytes)).toEqual(sizes)
})
