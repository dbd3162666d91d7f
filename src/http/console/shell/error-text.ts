import type { AppError } from '../../../errors.ts'

/** Returns the message of an error in the language of the request. */
export function errorText({ message }: AppError): string {
  return message
}
