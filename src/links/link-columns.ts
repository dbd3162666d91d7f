/** The columns that describe a link, both for its owner and for visits. */
export const LINK_COLUMNS = [
  'links.id',
  'links.alias',
  'links.url',
  'links.status',
  'links.password_hash',
  'links.redirect',
  'links.expires_at',
  'links.rules',
  'links.parameters',
  'links.meta_title',
  'links.meta_description',
  'links.meta_image',
  'links.created_at',
  'domains.origin',
] as const
