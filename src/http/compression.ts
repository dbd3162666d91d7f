import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { FastifyInstance } from 'fastify'

/** Smaller replies fit into one packet. */
const MIN_BYTES = 1024

/**
 * The header of pages with a secret that stays the same: neither this server nor a proxy compresses
 * them, because the size would reveal parts of it (docs/decisions/0121-compression.md).
 */
export const uncompressedHeader = { 'cache-control': 'private, no-store, no-transform' }

/**
 * Compresses the HTML and JSON of a plugin's routes for clients that accept it. Streams are flushed
 * after each chunk. Redirects are outside of such plugins.
 */
export async function compressReplies(app: FastifyInstance): Promise<void> {
  app.addHook('onSend', async ({ headers }, reply) => {
    const isExempt = String(reply.getHeader('cache-control')).includes('no-transform')
    if (isExempt) headers['x-no-compression'] = ''
  })
  await app.register(compress, {
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    threshold: MIN_BYTES,
    customTypes: /^(?:text\/html|application\/(?:[\w.-]+\+)?json)\b/,
    brotliOptions: {
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
    },
    zlibOptions: { flush: constants.Z_SYNC_FLUSH },
  })
}
