import { createServer } from 'node:http'
import { readPort } from './read-port.ts'

// The baseline without a framework: the redirect of `bare-fastify.ts` in plain Node.js.
createServer((request, response) => {
  response.writeHead(302, {
    location: `https://example.com${request.url}`,
    'cache-control': 'private, no-store',
    'content-length': '0',
  })
  response.end()
}).listen(readPort(), '127.0.0.1')
