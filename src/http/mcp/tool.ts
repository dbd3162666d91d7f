import type { CallToolResult, Tool as ToolDescription } from '@modelcontextprotocol/server'
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { type AppError, type ErrorCode, messageWith } from '../../errors.ts'
import { type CallAccess, type KeyRights, requireAccess } from '../../identity/key-scope.ts'
import type { Scope } from '../../scope.ts'
import { createValidationError, toAppError } from '../errors.ts'
import { argumentNames } from './link-fields.ts'

/** What a tool does to links: nothing, something that can be repeated, or something destructive. */
type Effect = 'reads' | 'adds' | 'changes' | 'deletes'

/** The result of a call: what the model reads, and the same for programs. */
export type ToolResult = {
  text: string
  data: Record<string, unknown>
  image?: Buffer
  isError?: boolean
}

type Call<Input> = {
  ctx: HttpContext
  scope: Scope<HttpContext>
  key: KeyRights
  /** The IP address of the client. */
  ip: string
  input: Input
}

type Definition<Input extends TObject> = {
  name: string
  title: string
  description: string
  access: CallAccess
  effect: Effect
  input: Input
  run: (call: Call<Static<Input>>) => Promise<ToolResult>
}

export type Tool = Omit<Definition<TObject>, 'run'> & {
  published: ToolDescription
  run: (call: Call<never>) => Promise<ToolResult>
}

const READS = { readOnlyHint: true, idempotentHint: true }
const HINTS: Readonly<Record<Effect, ToolDescription['annotations']>> = {
  reads: READS,
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  changes: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  deletes: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
}

/** What a caller can do about an error, after its sentence. */
const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  not_found: 'Look up the ID with a tool that lists.',
  scope_too_narrow: 'Ask the owner of the account for a key with that scope.',
  key_bound: 'Ask the owner of the account for a key that is not bound to a domain.',
  too_many_links: 'Ask the owner of the account to delete links or to raise the limit.',
  link_changed:
    'Undo newer changes of the link first, or restore it in its history in the console.',
  busy: 'Repeat the call in a few seconds.',
  too_slow: 'Narrow the filters or the period.',
  database_unavailable: 'Repeat the call in a minute.',
  internal: 'Repeat the call later; the operator finds the error in the log.',
}

/** Defines a tool. Its arguments are validated before it runs, and no others are accepted. */
export function defineTool<Input extends TObject>(definition: Definition<Input>): Tool {
  const { name, title, description, effect } = definition
  const input = { ...definition.input, additionalProperties: false }
  const inputSchema = toPublished(input) as ToolDescription['inputSchema']
  const annotations = HINTS[effect]
  return {
    ...definition,
    input,
    published: { name, title, description, inputSchema, annotations },
  }
}

/** Runs a tool. Errors are results too, so that the model reads them. */
export async function callTool(
  ctx: HttpContext,
  tool: Tool,
  request: FastifyRequest,
  input: Record<string, unknown>,
): Promise<CallToolResult> {
  const { scope, key, ip } = request
  try {
    requireAccess(key, tool.access)
    const validate = request.compileValidationSchema(tool.input, 'body')
    if (!validate(input)) throw createValidationError(validate.errors ?? [])
    return present(await tool.run({ ctx, scope, key, ip, input: input as never }))
  } catch (thrown) {
    const error = toAppError(thrown, request)
    const message = describeError(error)
    const structuredContent = { error: { code: error.code, message } }
    return { content: [{ type: 'text', text: message }], structuredContent, isError: true }
  }
}

/** Returns the message of an error with the names of arguments, and what to do about it. */
export function describeError(error: AppError): string {
  const message = messageWith(argumentNames, error)
  const next = NEXT_STEPS[error.code]
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`
  return next === undefined ? sentence : `${sentence} ${next}`
}

function present({ text, data, image, isError }: ToolResult): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text }]
  if (image) {
    content.push({ type: 'image', data: image.toString('base64'), mimeType: 'image/png' })
  }
  return { content, structuredContent: data, ...(isError && { isError }) }
}

/** Returns a schema without `format: "text"`, which only this service knows. */
function toPublished(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (name, value) =>
    name === 'format' && value === 'text' ? undefined : value,
  )
}

/** The schema of the ids of links that one call changes. */
export const LinkIds = Type.Array(Type.Integer({ minimum: 1 }), {
  minItems: 1,
  maxItems: 100,
  description: 'IDs of links.',
})

/** The schema of the id of a link. */
export const LinkId = Type.Integer({ minimum: 1, description: 'ID of a link.' })
