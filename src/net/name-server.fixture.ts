import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/**
 * Returns the bytes of the address in the reply, an empty array for a reply without an address, or
 * undefined for no reply.
 */
export type AnswerQuery = (type: number, name: string) => number[] | undefined

/** Starts a name server on a loopback port that replies with `answer`. Close it at the end. */
export async function startNameServer(answer: AnswerQuery) {
  const requests: string[] = []
  const server = createSocket('udp4')
  server.on('message', (message, { port, address }) => {
    const { name, type, end } = readQuestion(message)
    requests.push(`${name} ${type}`)
    const bytes = answer(type, name)
    if (!bytes) return
    const header = Buffer.from(message.subarray(0, 12))
    // A reply (RFC 1035, section 4.1): its flags, the number of answers, and no other records.
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(bytes.length === 0 ? 0 : 1, 6)
    header.fill(0, 8)
    // A pointer to the name in the question, the type, class IN, a TTL of 9 seconds and the data.
    const record =
      bytes.length === 0 ? [] : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 9, 0, bytes.length, ...bytes]
    const reply = Buffer.concat([header, message.subarray(12, end), Buffer.from(record)])
    server.send(reply, port, address)
  })
  await new Promise<void>((ready) => server.bind(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, requests, close: () => server.close() }
}

/** Returns the name and type that a DNS query asks for, and the offset of the question's end. */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  // The question follows the header of 12 bytes.
  let offset = 12
  for (let length = message[offset] ?? 0; length > 0; length = message[offset] ?? 0) {
    labels.push(message.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: message.readUInt16BE(offset + 1),
    end: offset + 5,
  }
}
