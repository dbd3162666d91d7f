import { toVariantLabel } from '../clicks/append.ts'
import { checkAllAsync, invalid } from '../errors.ts'

/** One of several destinations among which visitors are divided by weight. */
export type Variant = { to: string; weight: number }
/** An unvalidated variant from a request, file or form. */
export type VariantInput = { to?: unknown; weight?: unknown }

/** The variants of a link, prepared for visits, with the labels that their clicks get. */
export type Split = {
  total: number
  variants: readonly (Variant & { label: string })[]
}

const MIN_VARIANTS = 2
export const MAX_VARIANTS = 10
export const MAX_WEIGHT = 100

/**
 * Converts a split to its stored form. Throws AppError `invalid_input` naming the field and entry.
 */
export async function readSplit(
  entries: readonly VariantInput[],
  checkUrl: (field: string, url: string) => string | Promise<string>,
): Promise<Variant[]> {
  if (entries.length === 0) return []
  const hrefs = new Set<string>()
  const readTo = async (field: string, to: unknown) => {
    if (typeof to !== 'string') throw invalid(field, 'url')
    const href = await checkUrl(field, to)
    if (hrefs.has(href)) throw invalid(field, 'duplicate')
    hrefs.add(href)
    return href
  }
  const readVariant = async ({ to, weight }: VariantInput, index: number) => {
    const [href, validWeight] = await checkAllAsync(
      () => readTo(`split[${index}].to`, to),
      () => readWeight(`split[${index}].weight`, weight),
    )
    return { to: href, weight: validWeight }
  }
  const [, ...variants] = await checkAllAsync(
    () => requireCount(entries.length),
    ...entries.slice(0, MAX_VARIANTS).map((entry, index) => () => readVariant(entry, index)),
  )
  return variants
}

function requireCount(count: number): void {
  if (count < MIN_VARIANTS || count > MAX_VARIANTS) {
    throw invalid('split', 'entries_range', { min: MIN_VARIANTS, max: MAX_VARIANTS })
  }
}

function readWeight(field: string, input: unknown): number {
  const isDigits = typeof input === 'string' && /^\d{1,3}$/.test(input.trim())
  const weight = isDigits ? Number(input) : input
  const isWeight =
    typeof weight === 'number' && Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT
  if (!isWeight) throw invalid(field, 'whole_number_range', { min: 1, max: MAX_WEIGHT })
  return weight
}

/** Prepares a split for visits. Returns null for a link that is not split. */
export function prepareSplit(variants: readonly Variant[]): Split | null {
  if (variants.length === 0) return null
  return {
    total: variants.reduce((sum, { weight }) => sum + weight, 0),
    variants: variants.map((variant) => ({ ...variant, label: toVariantLabel(variant.to) })),
  }
}

/** Returns the variant for a visitor. Each link divides the same visitors differently. */
export function chooseVariant({ total, variants }: Split, visitor: bigint, linkId: number) {
  let remaining = toFraction(visitor, linkId) * total
  for (const variant of variants) {
    remaining -= variant.weight
    if (remaining < 0) return variant
  }
  return variants.at(-1)
}

/** Mixes the visitor's hash and the link's id (SplitMix64) into a number from 0 to 1, exclusive. */
function toFraction(visitor: bigint, linkId: number): number {
  let mixed = BigInt.asUintN(64, visitor + BigInt(linkId) * 0x9e3779b97f4a7c15n)
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n)
  mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn)
  return Number((mixed ^ (mixed >> 31n)) >> 11n) / 2 ** 53
}
