import { expect } from 'vitest'
import type { Reply } from './api-client.ts'

/** Invalid fields and the expected error message. */
export type Rejection = [fields: object, message: string]

/** Ids without a resource: unused ones, ones too large for JSON, and invalid ones. */
export const UNKNOWN_IDS = [999_999_999, '9007199254740993', '0', '-1', '1.5', 'x', '%00']

/** Returns rejections of a text field with a value of another type, too long or not well-formed. */
export function textRejections(field: string, longest: number): Rejection[] {
  const broken = `${field} must be text without NUL characters or broken surrogates`
  return [
    [{ [field]: 5 }, `${field} must be a string`],
    [{ [field]: [] }, `${field} must be a string`],
    [{ [field]: {} }, `${field} must be a string`],
    [
      { [field]: 'x'.repeat(longest + 1) },
      `${field} must not have more than ${longest} characters`,
    ],
    [{ [field]: 'a\0b' }, broken],
    [{ [field]: 'a\ud800' }, broken],
  ]
}

/** Rejections of names, which must not consist only of spaces. */
export const nameRejections: Rejection[] = [
  ...textRejections('name', 200),
  [{ name: '  ' }, 'name must not be empty'],
]

/** Expects a rejection with this message. */
export function expectRejection(reply: Reply, message: string): void {
  expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
}

/** Expects 404 replies with identical bodies. */
export function expectNotFound(replies: readonly Reply[]): void {
  const message = 'The requested resource was not found.'
  expect(replies.length).toBeGreaterThan(0)
  for (const reply of replies) {
    expect([reply.statusCode, reply.json()]).toEqual([404, { error: 1, message }])
  }
  expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
}
