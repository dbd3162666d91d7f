import { open } from 'node:fs/promises'

const MAGIC = 0xfd2fb528
const BLOCK_HEADER = 3
const RLE = 1
const CHECKSUM = 4
/** Magic number, descriptor and the longest further fields of a frame's header. */
const LONGEST_HEADER = 4 + 1 + 1 + 4 + 8

/**
 * Makes sure that a file is whole Zstandard frames from its first byte to its last, by going from block
 * to block (RFC 8878, section 3.1.1): Node.js ends what it writes with an empty one. Node.js 24 takes a frame that is cut off for one that ends there, and
 * every version passes over what follows it.
 *
 * @throws Error if it is not, or what reading it throws.
 */
export async function requireWholeFrames(path: string): Promise<void> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const read = async (offset: number, length: number) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    }
    let end = 0
    do end = await frameEnd(read, end, size)
    while (end < size)
    if (end > size) throw new Error('it ends too early')
  } finally {
    await file.close()
  }
}

type Read = (offset: number, length: number) => Promise<Buffer>

async function frameEnd(read: Read, start: number, size: number): Promise<number> {
  const header = await read(start, LONGEST_HEADER)
  if (header.length < 5 || header.readUInt32LE(0) !== MAGIC) {
    throw new Error(start === 0 ? 'it does not begin like one' : 'something follows its end')
  }
  const descriptor = header.readUInt8(4)
  let offset = start + 5 + fieldBytes(descriptor)
  for (let isLast = false; !isLast; ) {
    const block = await read(offset, BLOCK_HEADER)
    if (block.length < BLOCK_HEADER) return size + 1
    const bits = block.readUIntLE(0, BLOCK_HEADER)
    isLast = (bits & 1) === 1
    const length = bits >>> 3
    offset += BLOCK_HEADER + (((bits >>> 1) & 3) === RLE ? 1 : length)
  }
  return offset + (descriptor & 4 ? CHECKSUM : 0)
}

/** The bytes of the header's optional fields: window, dictionary and size of the content. */
function fieldBytes(descriptor: number): number {
  const isSingle = (descriptor & 32) !== 0
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0
  const content = [isSingle ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0
  return (isSingle ? 0 : 1) + dictionary + content
}
