import { createHash } from 'node:crypto'
import type { WebContext } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { deleteOwned, findOwned, insertOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import { transact } from '../db/transaction.ts'
import { AppError, checkAllAsync, withField } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import { loadSharp } from '../pictures/load-sharp.ts'
import { parseDestinationUrl } from '../urls/destination-url.ts'
import { linkButtons, removeButtons, resolveButtons } from './bio-buttons.ts'
import { bioFields, MAX_LINKS } from './bio-fields.ts'
import { type BioPage, getBio, toBio } from './bios.queries.ts'
import type { ResourceScope, Values } from './definition.ts'
import { readFields, requireFree } from './resource.ts'

/** `picture` returns the result of `readBioPicture`, or null to remove the picture. */
export type BioValues = Values<typeof bioFields> & { picture?: () => Promise<Buffer | null> }

/**
 * Creates a page of links at `/b/<alias>`.
 *
 * @throws AppError `invalid_input` naming the field, `alias_taken`, `too_many_bio_pages`
 */
export async function createBio(
  scope: ResourceScope,
  { links, picture = async () => null, ...values }: BioValues,
): Promise<BioPage> {
  const [fields, , buttons, image] = await checkAllAsync(
    () => readFields(bioFields, values),
    () => scope.storage.require(scope),
    () => readButtons(scope, links ?? []),
    picture,
    (hasFailed) => hasFailed && requireFreeAlias(scope, values),
  )
  const columns = { ...fields, ...toPictureColumns(image) }
  const { bio, changed } = await scope.quotas.bios.use(scope, 1, (allowed) => {
    if (allowed < 1) throw new AppError('too_many_bio_pages')
    return transact(scope, async (tx) => {
      const { links: stored, changed } = await linkButtons(tx, [], buttons)
      const row = { ...columns, links: JSON.stringify(stored) }
      return { bio: toBio(await insertOwned(tx, 'bio_pages', row)), changed }
    })
  })
  invalidatePages(scope, [bio.alias], changed)
  return bio
}

/**
 * Changes the fields that are set.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `alias_taken`
 */
export async function updateBio(
  scope: ResourceScope,
  id: number,
  { links, picture, ...values }: BioValues,
): Promise<BioPage> {
  const current = await findOwned(scope, 'bio_pages', id)
  if (!current) throw new AppError('not_found')
  const set = Object.entries(bioFields).filter(([name]) => name in values)
  const currentUrls = current.links.map(({ url }) => url)
  const [, fields, image, buttons] = await checkAllAsync(
    () => scope.storage.require(scope),
    () => readFields(Object.fromEntries(set), values),
    () => picture?.(),
    () => (links === undefined ? undefined : readButtons(scope, links ?? [], currentUrls)),
    (hasFailed) => hasFailed && requireFreeAlias(scope, values, current.alias),
  )
  const columns = { ...fields, ...(image !== undefined && toPictureColumns(image)) }
  const changed = await transact(scope, async (tx) => {
    const row = await lockOwned(tx, 'bio_pages', id)
    if (!row) throw new AppError('not_found')
    const linked = buttons && (await linkButtons(tx, row.links, buttons))
    const changes = { ...columns, ...(linked && { links: JSON.stringify(linked.links) }) }
    if (Object.keys(changes).length > 0) {
      await updateOwned(tx, 'bio_pages', id, changes)
    }
    return linked?.changed ?? []
  })
  const bio = await getBio(scope, id)
  invalidatePages(scope, [current.alias, bio.alias], changed)
  return bio
}

/**
 * Deletes a bio page with the links of its buttons, and removes it from channels.
 *
 * @throws AppError `not_found`
 */
export async function removeBio(scope: ResourceScope, id: number): Promise<void> {
  const { alias, removed } = await transact(scope, async (tx) => {
    const row = await deleteOwned(tx, 'bio_pages', id)
    if (!row) throw new AppError('not_found')
    return { alias: row.alias, removed: await removeButtons(unscoped(tx), row.links) }
  })
  invalidatePages(scope, [alias], removed)
}

async function readButtons(
  scope: ResourceScope,
  links: NonNullable<BioValues['links']>,
  currentUrls: readonly string[] = [],
) {
  const remainingUrls = [...currentUrls]
  const [validLinks] = await checkAllAsync(
    () => bioFields.links.read(links),
    ...links.slice(0, MAX_LINKS).map((link, index) => async () => {
      const field = `links[${index}].url`
      const url = parseDestinationUrl(field, link.url)
      await checkDestination(scope, field, url, remainingUrls)
      // A current URL allows only one button. Another one with the same URL would get a new link.
      if (remainingUrls.includes(url.href)) remainingUrls.splice(remainingUrls.indexOf(url.href), 1)
    }),
  )
  return resolveButtons(scope, validLinks)
}

/** @throws AppError `alias_taken` if another page has the alias that is set */
async function requireFreeAlias(
  scope: ResourceScope,
  { alias }: Pick<BioValues, 'alias'>,
  current?: string,
): Promise<void> {
  const wanted = alias && bioFields.alias.read(alias)
  if (wanted && wanted !== current) {
    await requireFree(unscoped(scope), 'bio_pages', 'alias', wanted, 'alias_taken')
  }
}

function toPictureColumns(picture: Buffer | null) {
  const hash = picture && createHash('sha256').update(picture).digest('hex').slice(0, 16)
  return { picture, picture_hash: hash }
}

/** Invalidates pages in the local store, and the cached links of buttons. */
function invalidatePages(
  { store, visitLinks }: ResourceScope,
  pages: readonly string[],
  links: readonly string[],
): void {
  for (const alias of pages) store.touch('bio_page', alias)
  for (const alias of links) visitLinks.invalidate(null, alias)
}

/** The width in pixels: twice the largest size on a page, for high-resolution displays. */
const SIDE = 256

/**
 * Converts an uploaded image to the square PNG that is stored. Decodes it in a separate process,
 * like a logo, so do not call it in a transaction.
 *
 * @throws AppError `invalid_input` naming `picture`, `busy`
 */
export async function readBioPicture(
  { readLogo }: Pick<WebContext, 'readLogo'>,
  accountId: number,
  file: Buffer,
): Promise<Buffer> {
  try {
    const png = await readLogo(accountId, file)
    const sharp = await loadSharp()
    return await sharp(png, { limitInputPixels: 1_000_000 })
      .resize({ width: SIDE, height: SIDE, fit: 'cover' })
      .png({ palette: true, effort: 5 })
      .toBuffer()
  } catch (error) {
    const isAboutLogo = error instanceof AppError && error.field === 'logo'
    throw isAboutLogo ? withField(error, 'picture') : error
  }
}
