/** The JSON Schema keywords that the API description uses. */
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

/** An operation of an OpenAPI document, with its path and method. */
export type Operation = {
  method: string
  path: string
  summary: string
  description?: string
  parameters: readonly Parameter[]
  body?: { schema: Schema; example: unknown } | undefined
  /** The schema of a successful response. */
  reply?: Schema | undefined
}

/** The operations on one subject, and the last part of the URL of their page. */
export type Group = { name: string; slug: string; operations: readonly Operation[] }
