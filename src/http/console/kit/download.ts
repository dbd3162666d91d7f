import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { noSniffHeader } from '../../response-headers.ts'

type Download = { name: string; type: string; content: Readable | string }

/** Sends a file that browsers save with this name. Its content is UTF-8. */
export function sendDownload(reply: FastifyReply, { name, type, content }: Download): undefined {
  reply
    .type(`${type}; charset=utf-8`)
    .headers({
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'private, no-store',
      ...noSniffHeader,
    })
    .send(content)
}
