import { createHash } from 'node:crypto'
import type { WebContext } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { deleteOwned, findOwned, insertOwned, lockOwned, updateOwned } from '../db/owned.queries.ts'
import { transact } from '../db/transaction.ts'
import { AppError, withField } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import { loadSharp } from '../pictures/load-sharp.ts'
import { linkButtons, removeButtons, resolveButtons } from './bio-buttons.ts'
import { bioFields } from './bio-fields.ts'
import { type BioPage, getBio, toBio } from './bios.queries.ts'
import type { ResourceScope, Values } from './definition.ts'
import { readFields } from './resource.ts'

/** The picture is from `readBioPicture`. Null removes it. */
export type BioValues = Values<typeof bioFields> & { picture?: Buffer | null }

/**
 * Creates a page of links at `/b/<alias>`.
 *
 * @throws AppError `invalid_input` naming the field, `alias_taken`, `too_many_bio_pages`
 */
export async function createBio(
  scope: ResourceScope,
  { links, picture = null, ...values }: BioValues,
): Promise<BioPage> {
  const columns = { ...readFields(bioFields, values), ...toPictureColumns(picture) }
  await scope.storage.require(scope)
  const buttons = await readButtons(scope, links ?? [])
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
  await scope.storage.require(scope)
  const set = Object.entries(bioFields).filter(([name]) => name in values)
  const columns = {
    ...readFields(Object.fromEntries(set), values),
    ...(picture !== undefined && toPictureColumns(picture)),
  }
  const currentUrls = current.links.map(({ url }) => url)
  const buttons =
    links === undefined ? undefined : await readButtons(scope, links ?? [], currentUrls)
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
  const validLinks = bioFields.links.read(links)
  const remainingUrls = [...currentUrls]
  for (const [index, { url }] of validLinks.entries()) {
    const field = `links[${index}].url`
    await checkDestination(scope, field, new URL(url), remainingUrls)
    // A current URL allows only one button. Another one with the same URL would get a new link.
    if (remainingUrls.includes(url)) remainingUrls.splice(remainingUrls.indexOf(url), 1)
  }
  return resolveButtons(scope, validLinks)
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
