import { once } from 'node:events'
import { connect } from 'node:net'

/** Concurrent requests. */
const PIPELINED = 100

export type Head = { status: number; location: string | undefined }

/**
 * Sends a HEAD request per path over one connection to loopback, and returns the replies in order.
 */
export async function headAll(
  port: number,
  host: string,
  paths: readonly string[],
): Promise<Head[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  const failed = once(socket, 'close').then(() => {
    throw new Error(`${host}: the connection closed`)
  })
  const replies: Head[] = []
  let received = ''
  for (let sent = 0; sent < paths.length; sent += PIPELINED) {
    const batch = paths.slice(sent, sent + PIPELINED)
    socket.write(batch.map((path) => `HEAD ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).join(''))
    while (replies.length < sent + batch.length) {
      const [text] = await Promise.race([once(socket, 'data'), failed])
      const parts = `${received}${text}`.split('\r\n\r\n')
      received = parts.pop() ?? ''
      replies.push(...parts.map(parseHead))
    }
  }
  failed.catch(() => {})
  socket.destroy()
  return replies
}

function parseHead(head: string): Head {
  return {
    status: Number(head.slice(9, 12)),
    location: /^location: (.*)$/im.exec(head)?.[1]?.replace(/\r$/, ''),
  }
}
