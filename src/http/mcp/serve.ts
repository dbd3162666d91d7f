import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolDescription,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { isScopeSufficient, type KeyRights } from '../../identity/key-scope.ts'
import { version } from '../../version.ts'
import { bulkTools } from './bulk-tools.ts'
import { linkTools } from './link-tools.ts'
import { readingTools } from './reading-tools.ts'
import { statisticsTool } from './statistics-tool.ts'
import { callTool, type Tool } from './tool.ts'
import { undoTools } from './undo-tools.ts'

const { name, title } = { name: 'brevis', title: 'Brevis' }

/**
 * Answers one message of a client. Clients of the 2025 revisions of the protocol introduce themselves
 * in a message of its own, later ones in each message; neither has a session here.
 */
export async function answerMessage(ctx: HttpContext, request: FastifyRequest): Promise<Response> {
  const { body } = request
  const message = toWebRequest(request)
  const server = createServer(ctx, request)
  if (await isLegacyRequest(message, body)) return answerWithoutSession(server, message, body)
  const handler = createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0 })
  try {
    return await handler.fetch(message, { parsedBody: body })
  } finally {
    await handler.close()
  }
}

async function answerWithoutSession(server: Server, message: Request, parsedBody: unknown) {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(message, { parsedBody })
  } finally {
    await server.close()
  }
}

/** Creates the server for one message. It knows only what the key of the request may do. */
function createServer(ctx: HttpContext, request: FastifyRequest): Server {
  const { key } = request
  const server = new Server(
    { name, title, version },
    { capabilities: { tools: {} }, instructions: describeServer(request) },
  )
  server.setRequestHandler('tools/list', () => ({ tools: listTools(key) }))
  server.setRequestHandler('tools/call', ({ params }) => {
    const tool = findTool(params.name)
    if (tool) return callTool(ctx, tool, request, params.arguments ?? {})
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${params.name.slice(0, 64)}.`,
    )
  })
  return server
}

function describeServer({ key: { scope, domain } }: FastifyRequest): string {
  const bound = domain ? `, and only for links on ${domain.host}` : ''
  return (
    `Brevis shortens URLs and counts clicks. This key has the scope ${scope}${bound}. ` +
    'Tools name links by their ID: find_links has it. Changes can be undone for 24 hours: list_changes.'
  )
}

/**
 * Converts a request for the SDK. It gets no key, and needs none. Replies are always JSON, so a client
 * need not accept event streams.
 */
function toWebRequest({ headers }: FastifyRequest): Request {
  const protocol = Object.entries(headers).filter(([header]) => header.startsWith('mcp-'))
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      ...(Object.fromEntries(protocol) as Record<string, string>),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  })
}

const TOOLS: readonly Tool[] = [
  ...linkTools,
  ...bulkTools,
  statisticsTool,
  ...readingTools,
  ...undoTools,
]

/** Returns the tools that a key may call. */
function listTools({ scope, domain }: KeyRights): ToolDescription[] {
  return TOOLS.filter(
    ({ access }) => isScopeSufficient(scope, access.scope) && (!domain || access.boundKeys),
  ).map(({ published }) => published)
}

/** Returns the tool with this name, or undefined. A key may be unable to call it. */
function findTool(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name)
}
