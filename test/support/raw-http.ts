import { connect } from 'node:net'

export type RawReply = { status: number; headers: Record<string, string>; body: string }

/**
 * Sends bytes to a loopback server, and returns its replies and any bytes after them. Resolves when
 * the connection is closed: by the server, or by this client, which ends its side after `idleMs`
 * without data and disconnects after as long again.
 */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  { idleMs = 1000 } = {},
): Promise<{ replies: RawReply[]; rest: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setTimeout(idleMs, () => {
      socket.end()
      socket.setTimeout(idleMs, () => socket.destroy())
    })
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    // The server may disconnect while data is being sent.
    socket.on('error', () => {})
    socket.on('close', () => {
      resolve(readReplies(received))
    })
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  })
}

/** Splits received bytes into replies (RFC 9112, sections 4 and 6), without 100 replies. */
export function readReplies(text: string): { replies: RawReply[]; rest: string } {
  const replies: RawReply[] = []
  let rest = text
  for (;;) {
    const [head, status] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(rest) ?? []
    if (head === undefined) return { replies, rest }
    const headers = Object.fromEntries(
      head
        .split('\r\n')
        .slice(1, -2)
        .map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^[^:]*:\s*/, '')]),
    )
    const remaining = rest.slice(head.length)
    const length = bodyLength(headers, remaining)
    if (length === undefined) return { replies, rest }
    if (status !== '100') {
      replies.push({ status: Number(status), headers, body: remaining.slice(0, length) })
    }
    rest = remaining.slice(length)
  }
}

function bodyLength(headers: Record<string, string>, remaining: string): number | undefined {
  if (headers['transfer-encoding'] === 'chunked') {
    const end = remaining.indexOf('0\r\n\r\n')
    return end === -1 ? undefined : end + 5
  }
  const length = Number(headers['content-length'] ?? 0)
  return length <= remaining.length ? length : undefined
}
