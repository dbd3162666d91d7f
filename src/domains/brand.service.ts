import type { WebContext } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import { updateOwned } from '../db/owned.queries.ts'
import { transact } from '../db/transaction.ts'
import { AppError, checkAllAsync, invalid } from '../errors.ts'
import { loadSharp } from '../pictures/load-sharp.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { type Brand, parseAccent } from './branded-domain.ts'
import * as queries from './domain.queries.ts'
import { getDomain } from './domain.service.ts'

/** The maximum size in pixels: twice the largest size on a page, for high-resolution displays. */
const MAX_SIZE = { width: 400, height: 144 }

/**
 * A new brand. `logo` is an image file, null to remove the logo, or undefined to leave it
 * unchanged.
 */
export type BrandInput = {
  accent: string | null
  footer: boolean
  logo?: Buffer | null | undefined
}

/** Returns the brand of a domain. @throws AppError `not_found` */
export async function getBrand(scope: AccountScope, id: number): Promise<Brand> {
  const brand = await queries.findBrand(scope, id)
  if (!brand) throw new AppError('not_found')
  return brand
}

/**
 * Changes the brand of a domain's visitor pages.
 *
 * @throws AppError `not_found`, `invalid_input` naming `accent` or `logo`
 */
export async function setBrand(
  scope: Scope<WebContext>,
  id: number,
  { accent, footer, logo }: BrandInput,
): Promise<void> {
  const { host } = await getDomain(scope, id)
  const [, color, picture] = await checkAllAsync(
    () => scope.storage.require(scope),
    () => (accent === null ? null : parseAccent(accent)),
    () => logo && readLogo(scope, scope.accountId, logo),
  )
  const columns = { accent: color, footer, ...(picture !== undefined && { logo: picture }) }
  await transact(scope, async (tx) => {
    const updated = await updateOwned(tx, 'domains', id, columns)
    if (!updated) throw new AppError('not_found')
    await notify(unscoped(tx), [{ kind: 'domain', host, id }])
  })
  scope.hosts.invalidate(host)
}

/**
 * The maximum size of a logo. Every visitor page contains it, and every process caches it in
 * memory.
 */
const MAX_BYTES = 32 * 1024

async function readLogo(ctx: WebContext, accountId: number, file: Buffer): Promise<string> {
  const logo = await shrinkLogo(await ctx.readLogo(accountId, file))
  if (logo.length > MAX_BYTES) throw invalid('logo', 'image_too_detailed')
  return logo.toString('base64')
}

/** Scales a PNG from the image decoder down to its display size. */
async function shrinkLogo(png: Buffer): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp(png, { limitInputPixels: 1_000_000 })
    .resize({ ...MAX_SIZE, fit: 'inside', withoutEnlargement: true })
    .png({ palette: true, effort: 5 })
    .toBuffer()
}
