import { Type } from '@sinclair/typebox'
import type { Field } from '../field.ts'
import { createTextSchema } from '../field-kinds.ts'
import { formatLinkType, parseLinkType } from './link-type.ts'

/** The field `type`: how a link shows its destination. */
export const typeField = {
  kind: 'text',
  columns: { redirect: 'direct', splash_id: null, overlay_id: null },
  api: 'type',
  schema: createTextSchema(
    64,
    'direct, frame or splash; 12 for splash page 12; overlay-12 for overlay 12',
  ),
  async read(value, { checkPage }) {
    const type = parseLinkType(value ?? 'direct')
    await checkPage(type)
    return { redirect: type.redirect, splash_id: type.splashId, overlay_id: type.overlayId }
  },
  readStored: ({ redirect, splash_id: splashId, overlay_id: overlayId }) =>
    formatLinkType({ redirect, splashId, overlayId }),
  details: { name: 'type', schema: Type.String() },
  file: {
    name: 'type',
    // Splash pages and overlays belong to the account that exported the file.
    accept: (type) => (type === 'frame' ? 'frame' : 'direct'),
    write: ({ redirect }) => (redirect === 'frame' ? 'frame' : null),
  },
  form: { name: 'type', input: 'choice', section: 'appearance' },
} satisfies Field<string>
