import { Type } from '@sinclair/typebox'
import type { StoredVariant } from '../../db/column-types.ts'
import type { Field } from '../field.ts'
import { createUrlSchema } from '../field-kinds.ts'
import { MAX_VARIANTS, MAX_WEIGHT, readSplit, type VariantInput } from '../split.ts'

const variantSchema = Type.Object({
  to: createUrlSchema('The destination of this variant.'),
  weight: Type.Integer({ minimum: 1, maximum: MAX_WEIGHT }),
})

/** The destinations among which a link divides its visitors. */
export const splitField = {
  kind: 'list',
  columns: { split: [] },
  api: 'split',
  schema: Type.Array(variantSchema, {
    maxItems: MAX_VARIANTS,
    description:
      'Destinations among which visitors are divided by weight, unless a rule applies. Each visitor always gets the same one.',
  }),
  async read(value, { checkUrl }) {
    return { split: await readSplit(value ?? [], checkUrl) }
  },
  readStored: ({ split }) => split,
  details: {
    name: 'split',
    schema: Type.Array(Type.Object({ to: Type.String(), weight: Type.Integer() })),
    optional: true,
    present: (split) => (split.length > 0 ? split : undefined),
  },
  file: { name: 'split', csv: { header: 'Split', names: 'split' } },
  form: { name: 'split', input: 'rows', section: 'targeting', entry: ['to', 'weight'] },
} satisfies Field<readonly VariantInput[], readonly StoredVariant[]>
