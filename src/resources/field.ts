import { type TSchema, Type } from '@sinclair/typebox'
import { invalid } from '../errors.ts'
import { createTextSchema } from '../links/field-kinds.ts'
import { normalizeOptionalText, requireText } from '../text.ts'
import type { TextKey } from '../texts.ts'
import { parseDestinationUrl, parseHttpUrl } from '../urls/destination-url.ts'
import type { PixelVendors } from './pixel-vendors.ts'

/** A property of a resource: in requests, in replies, in its column and in the console's form. */
export type Field<Sent, Stored = Sent> = {
  /** The schemas in requests and in replies. */
  schema: TSchema
  reply: TSchema
  /** Validates a value; null is none. Throws `invalid_input` naming the field. */
  read(value: Sent | null, name: string): Stored
  /** Returns the value in replies, whose types have no null. */
  present(value: Stored): unknown
  /** Whether it can have no value. */
  isOptional?: boolean
  /** Whether visitors are redirected to it, so that it must not be on a blocked host. */
  isDestination?: boolean
  /** Whether it cannot be changed after the creation. */
  isFixed?: boolean
  input: Input
  /** Returns the value that was entered in the form. */
  enter(text: string): Sent | null
}

/** How a field is entered and listed in the console. */
export type Input = {
  label: TextKey
  hint?: TextKey | ((baseUrl: string) => string)
  type?: 'multiline' | 'select' | 'check' | 'color'
  maxLength?: number
  choices?: readonly string[]
  /** Returns the name of a choice. */
  nameOf?: (choice: string, context: NamingContext) => string
}

type NamingContext = { pixelVendors: PixelVendors }

type TextOptions = Omit<Input, 'choices' | 'nameOf'> & { max: number; description?: string }

/** A text that is never empty. */
export function textField({ max, description, ...input }: TextOptions) {
  return {
    schema: createTextSchema(max, description),
    reply: Type.String(),
    read: (value: string | null, name: string) => requireText(name, value ?? '', max),
    present: (value: string) => value,
    input: { maxLength: max, ...input } as Input,
    enter: (text: string) => text,
  } satisfies Field<string>
}

/** A name that only the account sees. */
export const privateName = textField({
  max: 200,
  description: 'A name for your own reference.',
  label: 'resource.name',
  hint: 'resource.privateName',
})

/** A text, or null. */
export function optionalTextField(options: TextOptions) {
  return {
    ...textField(options),
    isOptional: true,
    read: (value: string | null, name: string) => normalizeOptionalText(name, value, options.max),
    present: (value: string | null) => value ?? '',
    enter: (text: string) => text.trim() || null,
  } satisfies Field<string, string | null>
}

/** The URL of something that a page shows, or null. */
export function urlField(options: Omit<TextOptions, 'max'>) {
  return {
    ...optionalTextField({ ...options, max: 8192 }),
    read: (value: string | null, name: string) => (value ? parseHttpUrl(name, value).href : null),
  } satisfies Field<string, string | null>
}

/** A URL to which visitors are redirected, or null. */
export function destinationField(options: Omit<TextOptions, 'max'>) {
  return {
    ...urlField(options),
    isDestination: true,
    read: (value: string | null, name: string) =>
      value ? parseDestinationUrl(name, value).href : null,
  } satisfies Field<string, string | null>
}

/** A whole number, or null. */
export function numberField({
  min,
  max,
  description,
  ...input
}: Input & { min: number; max: number; description: string }) {
  return {
    schema: Type.Integer({ description }),
    reply: Type.Integer(),
    isOptional: true,
    read: (value: number | null, name: string) => {
      if (value === null || (Number.isInteger(value) && value >= min && value <= max)) return value
      throw invalid(name, 'whole_number_range', { min, max })
    },
    present: (value: number | null) => value ?? 0,
    input: input as Input,
    // Other texts are not a number, which `read` rejects.
    enter: (text: string) => {
      const digits = text.trim()
      if (digits === '') return null
      return /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN
    },
  } satisfies Field<number, number | null>
}

/** True or false, which is the default. */
export function flagField({ description, ...input }: Input & { description?: string }) {
  return {
    schema: Type.Boolean(description === undefined ? {} : { description }),
    reply: Type.Boolean(),
    isOptional: true,
    read: (value: boolean | null) => value ?? false,
    present: (value: boolean) => value,
    input: { type: 'check', ...input } as Input,
    enter: (text: string) => text !== '',
  } satisfies Field<boolean>
}

/** One of several choices. */
export function choiceField<Choice extends string>({
  choices,
  ...input
}: Omit<Input, 'choices' | 'nameOf'> & {
  choices: readonly Choice[]
  nameOf?: (choice: Choice, context: NamingContext) => string
}) {
  return {
    schema: Type.Unsafe<Choice>({ type: 'string', enum: choices }),
    reply: Type.String() as TSchema,
    read: (value: string | null, name: string) => {
      const choice = choices.find((each) => each === value)
      if (!choice) throw invalid(name, 'one_of', { choices: choices.join(', ') })
      return choice
    },
    present: (value: Choice) => value,
    input: { type: 'select', choices, ...input } as Input,
    enter: (text: string) => text,
  } satisfies Field<string, Choice>
}
