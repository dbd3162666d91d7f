/** As much of a JSON schema as the API's own description has. */
export type Schema = {
  type?: string
  description?: string
  pattern?: string
  enum?: readonly unknown[]
  const?: unknown
  examples?: readonly unknown[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
}

export type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  example?: unknown
  schema?: Schema
}

/** An operation of an OpenAPI document, with the path and the method under which it stands there. */
export type Operation = {
  method: string
  path: string
  summary: string
  description?: string
  parameters: readonly Parameter[]
  body?: { schema: Schema; example: unknown } | undefined
  /** What a success answers. */
  reply?: Schema | undefined
}

/** Operations of one subject, and the last part of the address of their page. */
export type Group = { name: string; slug: string; operations: readonly Operation[] }
