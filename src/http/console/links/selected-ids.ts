import { AppError } from '../../../errors.ts'

/** The maximum number of links in one form, more than a page shows. */
const MAX_IDS = 100

/**
 * Returns the ids of the links selected in a list, without repeated ones.
 *
 * @throws AppError `invalid_input` if no links or too many are selected, `malformed_request` if an id
 *   is invalid
 */
export function readSelectedIds(body: unknown): number[] {
  const { id } = (body ?? {}) as Record<string, unknown>
  const ids = [id ?? []].flat().map((each) => Number(each))
  if (ids.length === 0)
    throw new AppError('invalid_input', { field: 'id', text: 'links.noneSelected' })
  if (ids.length > MAX_IDS)
    throw new AppError('invalid_input', {
      field: 'id',
      text: 'links.tooMany',
      args: { n: MAX_IDS },
    })
  if (!ids.every((each) => Number.isSafeInteger(each) && each > 0)) {
    throw new AppError('malformed_request')
  }
  return [...new Set(ids)]
}
