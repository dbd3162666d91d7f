import { type AppError, addError, throwFirst } from '../errors.ts'
import type { FieldColumns, FieldRules } from './field.ts'
import { FIELD_NAMES, FIELDS, type FieldInput } from './fields.ts'

/**
 * Validates the fields of a new link and returns their columns. `checkTimes` compares the times, if they
 * are valid. Throws AppError `invalid_input` naming the first invalid field, with the others attached.
 */
export async function readFields(
  input: FieldInput,
  rules: FieldRules,
  checkTimes?: (columns: Partial<FieldColumns>) => void,
): Promise<Partial<FieldColumns>> {
  const columns: Partial<FieldColumns> = {}
  const errors: AppError[] = []
  for (const name of FIELD_NAMES) {
    const value = input[name]
    if (value === undefined) continue
    try {
      const result = FIELDS[name].read(value, errors[0] ? withoutHash(rules) : rules, columns)
      // Awaits only real promises: importing a million links would otherwise be slower.
      Object.assign(columns, result instanceof Promise ? await result : result)
    } catch (error) {
      addError(errors, error)
    }
  }
  try {
    if (!errors.some(({ field }) => field === 'startsAt' || field === 'expiresAt'))
      checkTimes?.(columns)
  } catch (error) {
    addError(errors, error)
  }
  throwFirst(errors)
  return columns
}

/** Returns rules that do not hash a password, for a link that is rejected anyway. */
export function withoutHash(rules: FieldRules): FieldRules {
  return { ...rules, hashPassword: String }
}
